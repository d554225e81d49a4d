# ScaLAPACK::scalapack: ScaLAPACK 2 with its BLACS, as built for the MPI in use. It has no header.
include(quartet_fits_mpi)
find_library(ScaLAPACK_LIBRARY NAMES scalapack-openmpi scalapack-mpich scalapack PATH_SUFFIXES openmpi/lib
             VALIDATOR quartet_fits_mpi)
mark_as_advanced(ScaLAPACK_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_LIBRARY)
if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::scalapack)
  add_library(ScaLAPACK::scalapack UNKNOWN IMPORTED)
  set_target_properties(ScaLAPACK::scalapack PROPERTIES IMPORTED_LOCATION "${ScaLAPACK_LIBRARY}")
endif()

# ScaLAPACK::scalapack: ScaLAPACK 2 with its BLACS, as built for the MPI in use. It has no header.
# MKL's BLAS comes with its own.
include(quartet_find_mkl)
include(quartet_fits_mpi)
set(_blacs "")
if(CBLAS_VENDOR STREQUAL MKL)
  set(_mpi intelmpi)  # and all that descends from MPICH
  if(QUARTET_OPEN_MPI)
    set(_mpi openmpi)
  endif()
  quartet_find_mkl(_found scalapack_lp64 blacs_${_mpi}_lp64)
  if(_found)
    list(POP_FRONT _found ScaLAPACK_LIBRARY)
    set(_blacs "${_found}")
  endif()
endif()
find_library(ScaLAPACK_LIBRARY NAMES scalapack-openmpi scalapack-mpich scalapack PATH_SUFFIXES openmpi/lib
             VALIDATOR quartet_fits_mpi)
mark_as_advanced(ScaLAPACK_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_LIBRARY)
if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::scalapack)
  add_library(ScaLAPACK::scalapack UNKNOWN IMPORTED)
  set_target_properties(ScaLAPACK::scalapack PROPERTIES IMPORTED_LOCATION "${ScaLAPACK_LIBRARY}"
                                                        INTERFACE_LINK_LIBRARIES "${_blacs}")
endif()

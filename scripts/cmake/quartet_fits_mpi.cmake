# quartet_fits_mpi(<result> <library>), a VALIDATOR of find_library(): whether a library over MPI was built for
# the MPI in use. One that was not links all the same, and the program then has two MPIs, of which one is never
# initialised. Open MPI's handles are symbols of its own; MPICH and what descends from it are told by the name
# of their library.
include(CheckCXXSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(OMPI_MAJOR_VERSION mpi.h QUARTET_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)

function(quartet_fits_mpi result library)
  set(other "ompi_mpi_")
  if(QUARTET_OPEN_MPI)
    set(other "libmpich|libmpi\\.so\\.12")
  endif()
  file(STRINGS ${library} found REGEX "${other}" LIMIT_COUNT 1)
  if(found)
    message(STATUS "Left out: ${library} (built for another MPI)")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

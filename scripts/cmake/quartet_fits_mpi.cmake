# quartet_fits_mpi(<result> <library>), a VALIDATOR of find_library(): whether a library over MPI was built for
# the MPI in use. Another one links all the same, but then the program has two MPIs, and one is never
# initialised. Open MPI is recognised by the symbols of its handles, MPICH and its descendants by the name of
# their library.
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

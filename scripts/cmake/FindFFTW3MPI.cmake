include(quartet_find)
include(quartet_fits_mpi)
quartet_find(FFTW3MPI HEADER fftw3-mpi.h LIBRARY fftw3_mpi VALIDATOR quartet_fits_mpi TARGET FFTW3::fftw3_mpi)

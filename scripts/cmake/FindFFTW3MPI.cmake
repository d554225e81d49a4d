include(quartet_find)
quartet_find(FFTW3MPI HEADER fftw3-mpi.h LIBRARY fftw3_mpi TARGET FFTW3::fftw3_mpi)

include(quartet_find)
quartet_find(FFTW3OMP HEADER fftw3.h LIBRARY fftw3_omp TARGET FFTW3::fftw3_omp)

include(quartet_find)
quartet_find(FFTW3 HEADER fftw3.h LIBRARY fftw3 TARGET FFTW3::fftw3)

#include <fftw3.h>

// Replacements for FFTW's OpenMP library where it was not found: transforms then have one thread.

int fftw_init_threads() {
    return 0;
}

void fftw_plan_with_nthreads(int /*threads*/) {}

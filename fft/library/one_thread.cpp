#include <fftw3.h>

// Stand for FFTW's library for OpenMP where that was not found: its transforms then have one
// thread.

int fftw_init_threads() {
    return 0;
}

void fftw_plan_with_nthreads(int /*threads*/) {}

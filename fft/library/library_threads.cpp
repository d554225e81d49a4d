#include "fft/library/library_threads.hpp"

#include <fftw3-mpi.h>

#include "core/check.hpp"

namespace quartet::fft {

void start_fftw() {
    check(fftw_init_threads() != 0,
          "FFTW cannot start its threads");  // before MPI, says its manual
    fftw_mpi_init();
}

int use_fftw_threads(int threads) {
    fftw_plan_with_nthreads(threads);
    return threads;
}

}  // namespace quartet::fft

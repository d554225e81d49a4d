#include <fftw3-mpi.h>

#include "fft/library/library_threads.hpp"

namespace quartet::fft {

void start_fftw() {
    fftw_mpi_init();
}

int use_fftw_threads(int /*threads*/) {
    return 1;
}

}  // namespace quartet::fft

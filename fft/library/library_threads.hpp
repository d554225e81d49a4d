#pragma once

namespace quartet::fft {

/// Makes FFTW and FFTW-MPI ready, with threads where FFTW's library for OpenMP was found. Again it
/// does nothing.
void start_fftw();

/// Lets plans made from now on use up to `threads` threads a rank. Returns how many: 1 without
/// FFTW's library for threads.
int use_fftw_threads(int threads);

}  // namespace quartet::fft

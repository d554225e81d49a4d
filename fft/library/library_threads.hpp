#pragma once

namespace quartet::fft {

/// Makes FFTW and FFTW-MPI ready, with threads where FFTW's library for OpenMP was found. Again it
/// does nothing.
void start_fftw();

/// Plans that are made from now on have up to so many threads a rank. Returns how many: 1 without
/// that library.
int use_fftw_threads(int threads);

}  // namespace quartet::fft

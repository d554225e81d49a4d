#pragma once

#include <memory>

#include "device/fft_factory.hpp"

namespace quartet::device {

/// Transforms of the host by `threads` OpenMP threads: FFTW's, and our own steps of a split one.
std::unique_ptr<FftFactory> make_host_fft_factory(int threads);

}  // namespace quartet::device

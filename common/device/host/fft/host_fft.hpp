#pragma once

#include <memory>
#include <string>

#include "device/fft.hpp"

namespace quartet::device {

/// A plan by FFTW. The batch is divided among `threads` OpenMP threads; one transform is done by
/// one thread. Main thread only, since FFTW's planner is not thread-safe; executing it is. Throws
/// Failure for a length below 1 or a negative batch.
std::unique_ptr<FftPlan> plan_host_fft(const FftShape& shape, int threads);

/// FFTW's version and instruction sets.
std::string host_fft_description();

}  // namespace quartet::device

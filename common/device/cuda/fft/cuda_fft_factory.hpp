#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/fft_factory.hpp"

namespace quartet::device {

/// Transforms of the current GPU by cuFFT; `memory` outlives the plans. Throws Unavailable where
/// the library cannot be had.
std::unique_ptr<FftFactory> make_cuda_fft_factory(CudaMemory& memory);

}  // namespace quartet::device

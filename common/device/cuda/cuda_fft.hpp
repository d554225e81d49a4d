#pragma once

#include <memory>
#include <string>

#include "device/cuda/cuda_memory.hpp"
#include "device/cuda/cufft_library.hpp"
#include "device/fft.hpp"

namespace quartet::device {

/// The workspace of a plan that does a batch in pieces, unless one transform takes more.
inline constexpr Bytes default_fft_workspace = gibibytes(1);

/// A plan by cuFFT, with 64-bit sizes. Its workspace is allocated with it; a batch is done in
/// pieces where it would take more than `most_workspace`. Uses of one plan follow one another, on
/// whatever streams they are. Throws Failure for a length below 1, a negative batch, and lengths
/// that cuFFT does not support.
std::unique_ptr<FftPlan> plan_cuda_fft(const FftShape& shape,
                                       std::shared_ptr<const CufftLibrary> library,
                                       CudaMemory& memory,
                                       Bytes most_workspace = default_fft_workspace);

/// "cuFFT" and its version.
std::string cuda_fft_description(const CufftLibrary& library);

}  // namespace quartet::device

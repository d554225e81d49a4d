#pragma once

#include <memory>
#include <string>

#include "device/cuda/fft/cufft_library.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/fft.hpp"

namespace quartet::device {

/// The workspace of a plan that does a batch in pieces, unless one transform takes more.
inline constexpr Bytes default_fft_workspace = gibibytes(1);

/// `batch` transforms of `length` points that lie `step` apart, one transform's first point
/// `distance` from that of the one before: rows of a matrix, or its columns.
struct StridedFft {
    std::int64_t length = 0;
    std::int64_t batch = 0;
    std::int64_t step = 1;
    std::int64_t distance = 0;
};

/// A plan of cuFFT's for such transforms, with a workspace of its own.
class CudaStridedFft {
  public:
    virtual ~CudaStridedFft() = default;
    /// From the first transform's first point to the same layout elsewhere, or in place. Uses of
    /// one plan must follow one another.
    virtual void run(const std::complex<double>* from, std::complex<double>* to,
                     cudaStream_t stream) const = 0;
};
/// Throws Failure where cuFFT cannot plan it, or there is no memory.
std::unique_ptr<CudaStridedFft> plan_cuda_strided_fft(const StridedFft& shape,
                                                      std::shared_ptr<const CufftLibrary> library,
                                                      CudaMemory& memory);

/// A plan by cuFFT, with 64-bit sizes. Its workspace is allocated with it; a batch is done in
/// pieces where it would take more than `most_workspace`. Uses of one plan follow one another, on
/// whatever streams they are. Throws Failure for a length below 1, a negative batch, and lengths
/// that cuFFT does not support.
std::unique_ptr<FftPlan> plan_cuda_fft(const FftShape& shape,
                                       const std::shared_ptr<const CufftLibrary>& library,
                                       CudaMemory& memory,
                                       Bytes most_workspace = default_fft_workspace);

/// "cuFFT" and its version.
std::string cuda_fft_description(const CufftLibrary& library);

}  // namespace quartet::device

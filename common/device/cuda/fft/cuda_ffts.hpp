#pragma once

#include <memory>
#include <string>

#include "device/cuda/fft/cufft_library.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/fft_factory.hpp"

namespace quartet::device {

/// Transforms of the current GPU by cuFFT; `memory` outlives the plans. Throws Unavailable where
/// the library cannot be had.
std::unique_ptr<FftFactory> make_cuda_fft_factory(CudaMemory& memory);

/// Points as kernels take them.
inline double2* as_pairs(std::complex<double>* points) {
    return reinterpret_cast<double2*>(points);
}
inline const double2* as_pairs(const std::complex<double>* points) {
    return reinterpret_cast<const double2*>(points);
}

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

/// A cuFFT plan of such transforms, with its own workspace.
class CudaStridedFft {
  public:
    virtual ~CudaStridedFft() = default;
    /// Transforms `from` to the same layout at `to`, or in place; the pointers are those of the
    /// first transform's first point. Uses of one plan must follow one another.
    virtual void run(const std::complex<double>* from, std::complex<double>* to,
                     cudaStream_t stream) const = 0;
};
/// Throws Failure if cuFFT cannot plan it, or there is no memory.
std::unique_ptr<CudaStridedFft> plan_cuda_strided_fft(const StridedFft& shape,
                                                      std::shared_ptr<const CufftLibrary> library,
                                                      CudaMemory& memory);

/// A plan by cuFFT, with 64-bit sizes. Its workspace is allocated with it; a batch is done in
/// pieces if it would take more than `most_workspace`. Uses of one plan follow one another, on
/// whatever streams they are. Throws Failure for a length below 1, a negative batch, and lengths
/// that cuFFT does not support.
std::unique_ptr<FftPlan> plan_cuda_fft(const FftShape& shape,
                                       const std::shared_ptr<const CufftLibrary>& library,
                                       CudaMemory& memory,
                                       Bytes most_workspace = default_fft_workspace);

/// "cuFFT" and its version.
std::string cuda_fft_description(const CufftLibrary& library);

/// The tools of the plans below; `memory` outlives them.
struct FourStepFftTools {
    std::shared_ptr<const CufftLibrary> library;
    CudaMemory& memory;
};

/// The four-step FFT on a GPU, for any T and M: cuFFT's transforms, batch by batch, between kernels
/// that pack and transpose. A batch has at most 1 GiB of points, or one transform. Uses of one plan
/// run one after another, on any streams. Throw Failure for an impossible shape.
std::unique_ptr<ColumnFfts> plan_cuda_column_ffts(const FourStepFft& shape,
                                                  const FourStepFftTools& tools);
std::unique_ptr<RowFfts> plan_cuda_row_ffts(const FourStepFft& shape,
                                            const FourStepFftTools& tools);
std::unique_ptr<Transpose> plan_cuda_transpose(const FourStepFft& shape);

/// The most memory that column and row FFTs take together, with cuFFT's workspaces estimated as the
/// size of a batch.
Bytes cuda_four_step_fft_memory(const FourStepFft& shape);

/// The four-step FFT of one rank, out of place or in place. Column and row FFTs each have a
/// workspace of about `most_workspace`, or of one transform if that takes more. Throws Failure
/// for more than one rank.
std::unique_ptr<SingleRankFft> plan_cuda_single_rank_fft(
    const FourStepFft& shape, const FourStepFftTools& tools,
    Bytes most_workspace = default_fft_workspace);

/// The most memory it takes beside its views.
Bytes cuda_single_rank_fft_memory(const FourStepFft& shape);

}  // namespace quartet::device

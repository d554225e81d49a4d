#pragma once

#include <memory>

#include "device/cuda/fft/cufft_library.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/four_step_fft.hpp"

namespace quartet::device {

/// What the plans below are made from; `memory` outlives them.
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
std::unique_ptr<ScatterTile> plan_cuda_scatter_tile(const FourStepFft& shape,
                                                    const FourStepFftTools& tools);

/// The most memory that column and row FFTs take together, with cuFFT's workspaces estimated as the
/// size of a batch.
Bytes cuda_four_step_fft_memory(const FourStepFft& shape);

}  // namespace quartet::device

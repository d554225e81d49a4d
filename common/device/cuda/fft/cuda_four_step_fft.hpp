#pragma once

#include <memory>

#include "device/cuda/fft/cufft_library.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/four_step_fft.hpp"

namespace quartet::device {

/// What the passes of a split transform are made from; `memory` outlives them.
struct FourStepFftTools {
    std::shared_ptr<const CufftLibrary> library;
    CudaMemory& memory;
};

/// The passes on a GPU, for any T and M: cuFFT's transforms, batch by batch, between kernels that
/// bring the points into place. They keep no more than 1 GiB of points at a time, unless one
/// transform is larger. Uses of one pass follow one another, on whatever streams they are. Throw
/// Failure for a split that is none.
std::unique_ptr<ColumnFfts> plan_cuda_column_ffts(const FourStepFft& split,
                                                  const FourStepFftTools& tools);
std::unique_ptr<RowFfts> plan_cuda_row_ffts(const FourStepFft& split,
                                            const FourStepFftTools& tools);
std::unique_ptr<Transpose> plan_cuda_transpose(const FourStepFft& split);
std::unique_ptr<ScatterTile> plan_cuda_scatter_tile(const FourStepFft& split,
                                                    const FourStepFftTools& tools);

/// What the passes take at most, cuFFT's workspaces at the size of the points that they work on.
Bytes cuda_four_step_fft_memory(const FourStepFft& split);

}  // namespace quartet::device

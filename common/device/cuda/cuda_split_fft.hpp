#pragma once

#include <memory>

#include "device/cuda/cuda_memory.hpp"
#include "device/cuda/cufft_library.hpp"
#include "device/split_fft.hpp"

namespace quartet::device {

/// What the passes of a split transform are made from; `memory` outlives them.
struct SplitFftTools {
    std::shared_ptr<const CufftLibrary> library;
    CudaMemory& memory;
};

/// The passes on a GPU, for any T and M: cuFFT's transforms, batch by batch, between kernels that
/// bring the points into place. They keep no more than 1 GiB of points at a time, unless one
/// transform is larger. Uses of one pass follow one another, on whatever streams they are. Throw
/// Failure for a split that is none.
std::unique_ptr<TilePass> plan_cuda_tile_pass(const SplitFft& split, const SplitFftTools& tools);
std::unique_ptr<CombinePass> plan_cuda_combine_pass(const SplitFft& split,
                                                    const SplitFftTools& tools);
std::unique_ptr<NaturalPass> plan_cuda_natural_pass(const SplitFft& split);
std::unique_ptr<PlacePass> plan_cuda_place_pass(const SplitFft& split, const SplitFftTools& tools);

/// What the passes take at most, cuFFT's workspaces at the size of the points that they work on.
Bytes cuda_split_fft_memory(const SplitFft& split);

}  // namespace quartet::device

#pragma once

#include "device/cuda/fft/cuda_fft.hpp"
#include "device/cuda/fft/cuda_four_step_fft.hpp"

namespace quartet::device {

/// Tiles, factors and sums of one rank's transform: out of place or in place, with a workspace of
/// about `most_workspace` for each of both, unless one transform takes more. Throws Failure for
/// splits over several ranks.
std::unique_ptr<SingleRankFft> plan_cuda_single_rank_fft(
    const FourStepFft& split, const FourStepFftTools& tools,
    Bytes most_workspace = default_fft_workspace);

/// What it takes, at most, beyond the views that it works on.
Bytes cuda_single_rank_fft_memory(const FourStepFft& split);

}  // namespace quartet::device

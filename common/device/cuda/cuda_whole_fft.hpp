#pragma once

#include "device/cuda/cuda_fft.hpp"
#include "device/cuda/cuda_split_fft.hpp"

namespace quartet::device {

/// Tiles, factors and sums of one rank's transform: out of place or in place, with a workspace of
/// about `most_workspace` for each of both, unless one transform takes more. Throws Failure for
/// splits over several ranks.
std::unique_ptr<WholePass> plan_cuda_whole_pass(const SplitFft& split, const SplitFftTools& tools,
                                                Bytes most_workspace = default_fft_workspace);

/// What it takes, at most, beyond the views that it works on.
Bytes cuda_whole_pass_memory(const SplitFft& split);

}  // namespace quartet::device

#pragma once

#include "device/cuda/fft/cuda_fft.hpp"
#include "device/cuda/fft/cuda_four_step_fft.hpp"

namespace quartet::device {

/// The four-step FFT of one rank, out of place or in place. Column and row FFTs each have a
/// workspace of about `most_workspace`, or of one transform where that takes more. Throws Failure
/// for more than one rank.
std::unique_ptr<SingleRankFft> plan_cuda_single_rank_fft(
    const FourStepFft& shape, const FourStepFftTools& tools,
    Bytes most_workspace = default_fft_workspace);

/// The most memory it takes beside its views.
Bytes cuda_single_rank_fft_memory(const FourStepFft& shape);

}  // namespace quartet::device

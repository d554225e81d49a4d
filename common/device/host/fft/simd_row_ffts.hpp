#pragma once

#include <memory>
#include <optional>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Row FFTs with the eight k1 of a SIMD block in the lanes. Up to 256 tiles are one small
/// transform, which reads the blocks where the exchange has left them and writes the result. More
/// tiles are T = A B, two small transforms with a scratch in the second-level cache between. The
/// next row's blocks are prefetched into that cache.
///
/// Null unless T, or both factors of T = A B, are at most 256 and have no prime factor above 7.
std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& shape, int threads);
/// The memory it takes beside its views; nothing where the plan would be null.
std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& shape, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Partial row FFTs with the eight k1 of a SIMD block in the lanes. A group has about 32 tiles
/// where T allows it: larger groups leave less to RowFfts, smaller ones stay in the cache and
/// finish sooner after the last tile.
///
/// Null unless T has two factors up to 256 without primes above 7, and M is a multiple of 8.
std::unique_ptr<PartialRowFfts> plan_simd_partial_row_ffts(const FourStepFft& shape, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// The sums over groups of tiles with the eight k1 of a cell as lanes, one small transform of up to
/// 256 points a cell. A group has about 32 tiles, where T allows it: many leave little to
/// RowFfts, few stay in the cache and leave little of the last group's sums to the end.
///
/// Nothing where T has no two such factors without primes above 7, or M is no multiple of a cell.
std::unique_ptr<PartialRowFfts> plan_simd_partial_row_ffts(const FourStepFft& split, int threads);

}  // namespace quartet::device

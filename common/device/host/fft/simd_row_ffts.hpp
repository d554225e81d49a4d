#pragma once

#include <memory>
#include <optional>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Sums over the tiles with the eight k1 of a cell as lanes: no lane ever meets another. Up to 256
/// tiles are one small transform that reads the cells where the exchange has them and writes the
/// result; more are T = A B, two of them with a scratch that stays in the second-level cache
/// between. While one column of cells is worked on, the next is fetched into that cache.
///
/// Nothing where T has no such factors without primes above 7, or is above 65536.
std::unique_ptr<RowFfts> plan_simd_row_ffts(const FourStepFft& split, int threads);
/// What it takes beside its views; nothing where there is no such pass.
std::optional<Bytes> simd_row_ffts_memory(const FourStepFft& split, int threads);

}  // namespace quartet::device

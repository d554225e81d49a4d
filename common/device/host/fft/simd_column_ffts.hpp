#pragma once

#include <memory>
#include <optional>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Tile transforms with eight columns as lanes. A tile of M = A B points is a matrix [A][B]: eight
/// adjacent columns at a time are transformed over its rows (contiguous loads), multiplied by
/// w_M^(b ka), and stored transposed in a scratch that stays in the second-level cache, so that
/// eight adjacent ka are lanes when the rows are transformed. What comes out are eight adjacent k1
/// = ka + A kb, a cell: times w_N^(t k1) it goes straight to its place. One pass through memory.
///
/// Nothing where M has no such factors of 8 to 256 without primes above 7: below 64, above 65536.
std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& split, int threads);
/// What it takes beside its views; nothing where there is no such pass.
std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& split, int threads);

}  // namespace quartet::device

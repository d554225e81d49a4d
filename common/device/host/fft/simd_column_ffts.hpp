#pragma once

#include <memory>
#include <optional>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Column FFTs with eight columns of a tile in the SIMD lanes; each tile is itself a four-step FFT
/// of M = A B points, a matrix [A][B]. Eight adjacent columns are transformed at a time (contiguous
/// loads), multiplied by w_M^(b ka), and stored transposed in the second-level cache. Then eight
/// adjacent ka are in the lanes while the rows are transformed. The result is eight adjacent bins
/// k1 = ka + A kb: one SIMD block, multiplied by w_N^(t k1) and written to its part. Memory is read
/// once and written once.
///
/// Null unless M = A B with both factors in 8 to 256 and no prime factor above 7.
std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& shape, int threads);
/// The memory it takes beside its views; nothing where the plan would be null.
std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& shape, int threads);

}  // namespace quartet::device

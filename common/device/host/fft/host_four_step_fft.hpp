#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// The host's four-step FFT, for any T and M: SIMD plans where the sizes allow them, else scalar
/// ones. Throw Failure for an impossible shape.
std::unique_ptr<ColumnFfts> plan_host_column_ffts(const FourStepFft& shape, int threads);
std::unique_ptr<RowFfts> plan_host_row_ffts(const FourStepFft& shape, int threads);
std::unique_ptr<Transpose> plan_host_transpose(const FourStepFft& shape, int threads);
/// For one rank.
std::unique_ptr<ScatterTile> plan_host_scatter_tile(const FourStepFft& shape, int threads);
/// The most memory that column and row FFTs take together, beside their views.
Bytes host_four_step_fft_memory(const FourStepFft& shape, int threads);

}  // namespace quartet::device

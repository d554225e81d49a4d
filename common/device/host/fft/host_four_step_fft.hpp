#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// The host's passes, for any T and M: with lanes where the sizes allow it, else plain ones. Throw
/// Failure for a split that is none.
std::unique_ptr<ColumnFfts> plan_host_column_ffts(const FourStepFft& split, int threads);
std::unique_ptr<RowFfts> plan_host_row_ffts(const FourStepFft& split, int threads);
std::unique_ptr<Transpose> plan_host_transpose(const FourStepFft& split, int threads);
/// For splits of one rank.
std::unique_ptr<ScatterTile> plan_host_scatter_tile(const FourStepFft& split, int threads);
/// What they take beyond their views, at most.
Bytes host_four_step_fft_memory(const FourStepFft& split, int threads);

}  // namespace quartet::device

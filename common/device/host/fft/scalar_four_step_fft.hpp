#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// The passes for any size at all, by the library's transforms and plain loops: for those that the
/// lanes do not take (prime factors above 7, very short or very long tiles). Each has one more
/// array of the size of the rank's points, or of eight columns a thread.
std::unique_ptr<ColumnFfts> plan_scalar_column_ffts(const FourStepFft& split, int threads);
std::unique_ptr<RowFfts> plan_scalar_row_ffts(const FourStepFft& split, int threads);
/// What they take beside their views; FFTW may take about as much again for awkward lengths.
Bytes scalar_column_ffts_memory(const FourStepFft& split);
Bytes scalar_row_ffts_memory(const FourStepFft& split, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/four_step_fft.hpp"

namespace quartet::device {

/// Column and row FFTs for any size, by FFTW and plain loops: for the sizes without a SIMD plan
/// (prime factors above 7, very short or very long tiles). The column FFTs keep a copy of the
/// rank's points, the row FFTs eight rows a thread.
std::unique_ptr<ColumnFfts> plan_scalar_column_ffts(const FourStepFft& shape, int threads);
std::unique_ptr<RowFfts> plan_scalar_row_ffts(const FourStepFft& shape, int threads);
/// The memory they take beside their views. FFTW may take as much again for awkward lengths.
Bytes scalar_column_ffts_memory(const FourStepFft& shape);
Bytes scalar_row_ffts_memory(const FourStepFft& shape, int threads);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/split_fft.hpp"

namespace quartet::device {

/// The passes for any size at all, by the library's transforms and plain loops: for those that the
/// lanes do not take (prime factors above 7, very short or very long tiles). Each has one more
/// array of the size of the rank's points, or of eight columns a thread.
std::unique_ptr<TilePass> plan_plain_tile_pass(const SplitFft& split, int threads);
std::unique_ptr<CombinePass> plan_plain_combine_pass(const SplitFft& split, int threads);
/// What they take beside their views; FFTW may take about as much again for awkward lengths.
Bytes plain_tile_pass_memory(const SplitFft& split);
Bytes plain_combine_pass_memory(const SplitFft& split, int threads);

}  // namespace quartet::device

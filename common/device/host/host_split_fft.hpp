#pragma once

#include <memory>

#include "device/split_fft.hpp"

namespace quartet::device {

/// The host's passes, for any T and M: with lanes where the sizes allow it, else plain ones. Throw
/// Failure for a split that is none.
std::unique_ptr<TilePass> plan_host_tile_pass(const SplitFft& split, int threads);
std::unique_ptr<CombinePass> plan_host_combine_pass(const SplitFft& split, int threads);
std::unique_ptr<NaturalPass> plan_host_natural_pass(const SplitFft& split, int threads);
/// For splits of one rank.
std::unique_ptr<PlacePass> plan_host_place_pass(const SplitFft& split, int threads);
/// What they take beyond their views, at most.
Bytes host_split_fft_memory(const SplitFft& split, int threads);

}  // namespace quartet::device

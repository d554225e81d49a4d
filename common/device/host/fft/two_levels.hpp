#pragma once

#include <cstdint>
#include <optional>

#include "device/host/fft/small_fft_plan.hpp"

namespace quartet::device {

/// A length as a product of two that a SmallFftPlan does, the first over strided points.
struct TwoLevels {
    std::int64_t first = 1;
    std::int64_t second = 1;
};

/// The cheapest factors, both factors at least `least`; a `first` that is no multiple of
/// `whole` counts as much dearer. `second` is what the lanes hold there. Nothing if there is none.
std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second = Lanes::transforms);

}  // namespace quartet::device

#pragma once

#include <cstdint>
#include <vector>

#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// What the vectors of a SmallFft hold: a point of each of many transforms, or, before the last
/// stage, adjacent points of one (FftLoops: rows of a tile).
enum class Lanes { transforms, points };

/// The stages of an FFT of up to 256 points, for the loops of any instruction set.
class SmallFftPlan {
  public:
    static constexpr int longest = 256;
    static constexpr int most_lanes = 8;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// Cost per point where a core has so many vector registers, relative to one stage of radix 8.
    /// Throws Failure unless supported.
    [[nodiscard]] static double cost(std::int64_t length, int registers,
                                     Lanes lanes = Lanes::transforms);

    /// The cheapest stages; for Lanes::points two at most, the last of which fills the lanes, where
    /// there are such. Throws Failure unless supported.
    SmallFftPlan(std::int64_t length, int registers, Lanes lanes = Lanes::transforms);
    SmallFftPlan(SmallFftPlan&&) = default;
    SmallFftPlan& operator=(SmallFftPlan&&) = default;

    [[nodiscard]] int length() const { return fft_.length; }
    /// Whether adjacent points can be in the lanes.
    [[nodiscard]] bool has_points_in_lanes() const {
        return fft_.stages <= 2 && fft_.stage[fft_.stages - 1].radix % most_lanes == 0;
    }
    /// Borrows the plan's tables, which stay where they are when the plan moves.
    [[nodiscard]] const SmallFft& fft() const { return fft_; }

  private:
    SmallFft fft_{};
    std::vector<std::vector<double>> twiddles_;  ///< by stage
};

}  // namespace quartet::device

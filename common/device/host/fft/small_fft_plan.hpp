#pragma once

#include <cstdint>
#include <vector>

#include "device/host/loops/loops.hpp"

namespace quartet::device {

/// The stages of an FFT of up to 256 points, for the loops of any instruction set.
class SmallFftPlan {
  public:
    static constexpr int longest = 256;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// Cost per point where a core has so many vector registers, relative to one stage of radix 8.
    /// Throws Failure unless supported.
    [[nodiscard]] static double cost(std::int64_t length, int registers);

    /// The cheapest stages. Throws Failure unless supported.
    SmallFftPlan(std::int64_t length, int registers);
    SmallFftPlan(SmallFftPlan&&) = default;
    SmallFftPlan& operator=(SmallFftPlan&&) = default;

    [[nodiscard]] int length() const { return fft_.length; }
    /// Borrows the plan's tables, which stay where they are when the plan moves.
    [[nodiscard]] const SmallFft& fft() const { return fft_; }

  private:
    SmallFft fft_{};
    std::vector<std::vector<double>> twiddles_;  ///< by stage
};

}  // namespace quartet::device

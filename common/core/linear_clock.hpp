#pragma once

#include "core/units.hpp"

namespace quartet {

/// The result of comparing a clock with another one.
struct ClockReading {
    Seconds at;     ///< by the clock's own time
    Seconds ahead;  ///< how far the other one was ahead then
};

/// Computes another clock's time from one's own: between two readings their difference changes
/// linearly, as with two quartz clocks.
class LinearClock {
  public:
    /// Both clocks are one.
    constexpr LinearClock() = default;
    /// `last` not before `first`; where they are at the same time the difference stays as it is.
    constexpr LinearClock(const ClockReading& first, const ClockReading& last)
        : first_(first),
          drift_(last.at > first.at ? (last.ahead - first.ahead) / (last.at - first.at) : 0) {}

    [[nodiscard]] constexpr Seconds operator()(Seconds own) const {
        return own + first_.ahead + drift_ * (own - first_.at);
    }

  private:
    ClockReading first_{};
    double drift_ = 0;  ///< seconds a second
};

}  // namespace quartet

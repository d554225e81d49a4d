#include "device/host/fft/two_levels.hpp"

#include <algorithm>
#include <limits>

namespace quartet::device {

std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second_lanes) {
    constexpr double dearer = 4;
    // Of a stage, for each time that one is the other; and how much dearer the first is, whose
    // points are strided. Measured on Zen 3 at 2^10 to 2^16 points where points are in the lanes.
    const bool in_lanes = second_lanes == Lanes::points;
    const double unbalanced = in_lanes ? 0.005 : 0.2;
    const double strided = in_lanes ? 1.08 : 1;
    std::optional<TwoLevels> best;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::int64_t first = least; first <= SmallFftPlan::longest; ++first) {
        const std::int64_t second = length / first;
        if (length % first != 0 || second < least || !SmallFftPlan::supports(first) ||
            !SmallFftPlan::supports(second))
            continue;
        const double larger = static_cast<double>(std::max(first, second)) /
                              static_cast<double>(std::min(first, second));
        const double cost = strided * SmallFftPlan::cost(first, registers) +
                            SmallFftPlan::cost(second, registers, second_lanes) +
                            (first % whole == 0 ? 0 : dearer) + unbalanced * larger;
        if (cost < lowest) {
            lowest = cost;
            best = TwoLevels{first, second};
        }
    }
    return best;
}

}  // namespace quartet::device

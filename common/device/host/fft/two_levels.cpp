#include "device/host/fft/two_levels.hpp"

#include <algorithm>
#include <limits>

namespace quartet::device {

std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second_lanes) {
    constexpr double dearer = 4;
    constexpr double unbalanced = 0.005;  // of a stage, for each time that one is the other
    std::optional<TwoLevels> best;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::int64_t first = least; first <= SmallFftPlan::longest; ++first) {
        const std::int64_t second = length / first;
        if (length % first != 0 || second < least || !SmallFftPlan::supports(first) ||
            !SmallFftPlan::supports(second))
            continue;
        const double larger = static_cast<double>(std::max(first, second)) /
                              static_cast<double>(std::min(first, second));
        const double cost = SmallFftPlan::cost(first, registers) +
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

#include "bench/measure/two_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

constexpr double least_ratio = 1.4;
constexpr double least_gap = 1.5;  // in widths of the wider group
constexpr std::size_t fewest_with_an_outlier = 4;

// How wide a group of sorted times is. `outermost` may be left out of a group that is large enough:
// it is the one farther from the other group.
double width_of(std::span<const double> group, bool outermost_is_first) {
    if (group.size() >= fewest_with_an_outlier) {
        group = outermost_is_first ? group.subspan(1) : group.first(group.size() - 1);
    }
    return group.back() - group.front();
}

// The ratio of the medians if there are two groups; otherwise 0.
double ratio_at(std::span<const double> sorted, std::size_t fast_runs) {
    const auto fast = sorted.first(fast_runs);
    const auto slow = sorted.subspan(fast_runs);
    const double gap = slow.front() - fast.back();
    const double widest = std::max(width_of(fast, true), width_of(slow, false));
    const double fast_median = median(fast);
    if (!(gap > least_gap * widest) || !(fast_median > 0)) {
        return 0;
    }
    const double ratio = median(slow) / fast_median;
    return ratio >= least_ratio ? ratio : 0;
}

// Finds the run from which on all are of the other group.
void find_step(TwoSpeeds& speeds, std::span<const double> times, double slowest_fast) {
    std::size_t changes = 0;
    std::size_t last = 0;
    for (std::size_t run = 1; run < times.size(); ++run) {
        if ((times[run] > slowest_fast) != (times[run - 1] > slowest_fast)) {
            ++changes;
            last = run;
        }
    }
    if (changes == 1) {
        speeds.step = last;
        speeds.becomes_slower = times.back() > slowest_fast;
    }
}

}  // namespace

std::optional<TwoSpeeds> two_speeds(std::span<const double> times) {
    if (times.size() < fewest_runs_for_two_speeds) {
        return std::nullopt;
    }
    std::vector<double> sorted(times.begin(), times.end());
    std::ranges::sort(sorted);
    const std::size_t fewest = std::max<std::size_t>(2, (times.size() + 4) / 5);
    std::optional<TwoSpeeds> found;
    double slowest_fast = 0;
    for (std::size_t fast = fewest; fast + fewest <= sorted.size(); ++fast) {
        const double ratio = ratio_at(sorted, fast);
        if (ratio > (found ? found->ratio : 0)) {
            found.emplace();
            found->ratio = ratio;
            found->slow = sorted.size() - fast;
            slowest_fast = sorted[fast - 1];
        }
    }
    if (found) {
        find_step(*found, times, slowest_fast);
    }
    return found;
}

std::string describe_two_speeds(const TwoSpeeds& speeds, std::size_t runs, std::string_view of) {
    if (speeds.step) {
        const std::string change = speeds.becomes_slower
                                       ? fmt::format("{:.2g} times as long", speeds.ratio)
                                       : fmt::format("1/{:.2g} of the time", speeds.ratio);
        return fmt::format("from {} {} of {} on it took {}", of, *speeds.step + 1, runs, change);
    }
    return fmt::format("{} of {} {}s took {:.2g} times as long as the others", speeds.slow, runs,
                       of, speeds.ratio);
}

}  // namespace quartet::bench

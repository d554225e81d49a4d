#include "bench/measure/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

constexpr double least_drift = 0.05;
constexpr double standard_errors = 3;
constexpr double least_agreement = 0.9;

// For normal values: the median of |x - y| in standard deviations, and the standard error of the
// median, divided by that of the mean.
constexpr double median_difference = 0.6745 * std::numbers::sqrt2;
constexpr double median_error = 1.2533;

std::size_t quarter_of(std::size_t runs) {
    return std::max<std::size_t>(3, (runs + 3) / 4);
}

// The runs' standard deviation, estimated from the differences of neighbours.
double spread_of_neighbours(std::span<const double> times) {
    std::vector<double> differences;
    for (std::size_t run = 1; run < times.size(); ++run) {
        differences.push_back(std::abs(times[run] - times[run - 1]));
    }
    return median(differences) / median_difference;
}

// The share of all pairs, one run of each, in which the same one is longer.
double agreement(std::span<const double> first, std::span<const double> last) {
    double longer = 0;
    for (const double before : first) {
        for (const double after : last) {
            longer += after > before ? 1 : after == before ? 0.5 : 0;
        }
    }
    const double share = longer / static_cast<double>(first.size() * last.size());
    return std::max(share, 1 - share);
}

}  // namespace

std::optional<double> drift(std::span<const double> times) {
    if (times.size() < fewest_runs_for_drift) {
        return std::nullopt;
    }
    const std::size_t quarter = quarter_of(times.size());
    const auto first = times.first(quarter);
    const auto last = times.last(quarter);
    const double before = median(first);
    const double change = median(last) - before;
    const double error =
        median_error * spread_of_neighbours(times) * std::sqrt(2 / static_cast<double>(quarter));
    if (!(std::abs(change) > least_drift * before) ||
        !(std::abs(change) > standard_errors * error) || agreement(first, last) < least_agreement ||
        !(before > 0)) {
        return std::nullopt;
    }
    return change / before;
}

std::string describe_drift(double drift) {
    return fmt::format("the last quarter of the runs took {:.0f}% {} than the first",
                       100 * std::abs(drift), drift > 0 ? "longer" : "less");
}

}  // namespace quartet::bench

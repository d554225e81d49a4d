#include "bench/results/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/check.hpp"

namespace quartet::bench {

namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
    check(!values.empty(), "statistics of an empty sample");
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    return sorted;
}

double at(const std::vector<double>& sorted, double share) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

std::optional<std::pair<int, int>> median_interval_ranks(int values) {
    constexpr double tail = 0.025;
    // Terms of the binomial distribution by their logarithms: n may be thousands.
    const auto term = [values](int k) {
        return std::exp(std::lgamma(values + 1.0) - std::lgamma(k + 1.0) -
                        std::lgamma(values - k + 1.0) - values * std::numbers::ln2);
    };
    int k = 0;
    double below = term(0);
    while (below <= tail && k < values) {
        ++k;
        below += term(k);
    }
    if (k == 0) {
        return std::nullopt;
    }
    return std::pair(k, values + 1 - k);
}

Summary Summary::of(std::span<const double> values) {
    const std::vector<double> sorted = sorted_copy(values);
    const auto count = static_cast<double>(sorted.size());
    const std::size_t half = sorted.size() / 2;
    const std::size_t quarter = sorted.size() / 4;
    Summary summary;
    summary.count = sorted.size();
    summary.median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
    summary.minimum = sorted.front();
    summary.maximum = sorted.back();
    summary.middle_half = sorted[sorted.size() - 1 - quarter] - sorted[quarter];
    double squares = 0;
    for (const double value : sorted) {
        squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.stddev = sorted.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    if (const auto ranks = median_interval_ranks(static_cast<int>(sorted.size()))) {
        summary.interval = Interval{sorted[static_cast<std::size_t>(ranks->first - 1)],
                                    sorted[static_cast<std::size_t>(ranks->second - 1)]};
    }
    return summary;
}

Quantiles quantiles(std::span<const double> values) {
    const std::vector<double> sorted = sorted_copy(values);
    return {sorted.size(), at(sorted, 0.5), at(sorted, 0.9), at(sorted, 0.99), sorted.back()};
}

}  // namespace quartet::bench

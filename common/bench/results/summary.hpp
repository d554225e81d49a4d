#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace quartet::bench {

/// An interval between two values of a sample: [lower, upper].
struct Interval {
    double lower = 0;
    double upper = 0;
};

/// Statistics of a sample, without assuming a distribution.
struct Summary {
    std::size_t count = 0;
    double median = 0;
    double mean = 0;
    double stddev = 0;  ///< of the sample, n - 1; 0 for one value
    double minimum = 0;
    double maximum = 0;
    double middle_half = 0;            ///< the width of the interval that half of the values lie in
    std::optional<Interval> interval;  ///< 95% of the median; needs six values

    /// Throws Failure for an empty sample.
    static Summary of(std::span<const double> values);

    [[nodiscard]] double variation() const { return mean > 0 ? stddev / mean : 0; }
    /// Whether the interval is known and at most this wide, as a share of the median.
    [[nodiscard]] bool within(double width) const {
        return interval && interval->upper - interval->lower <= width * median;
    }
};

/// How a sample is spread, by its order statistics.
struct Quantiles {
    std::size_t count = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double maximum = 0;
};

/// Each the smallest value that so large a share of all does not exceed. Throws Failure for an
/// empty sample.
Quantiles quantiles(std::span<const double> values);

/// One-based ranks (k, n + 1 - k) of the order statistics that enclose the median with at least 95%
/// confidence: the largest k with P(Binomial(n, 1/2) < k) <= 2.5% (Hoefler and Belli, SC'15, rule
/// 6); nothing below six values, where even the extremes do not reach it.
std::optional<std::pair<int, int>> median_interval_ranks(int values);

}  // namespace quartet::bench

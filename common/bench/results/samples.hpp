#pragma once

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
    double median = 0;
    double mean = 0;
    double stddev = 0;  ///< of the sample, n - 1; 0 for one value
    double minimum = 0;
    double maximum = 0;
    std::optional<Interval> interval;  ///< 95% of the median; needs six values
    [[nodiscard]] double variation() const { return mean > 0 ? stddev / mean : 0; }
};

/// Throws Failure for an empty sample.
Summary summarise(std::span<const double> values);
double median(std::span<const double> values);

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

/// Whether the median's interval is known and at most `width` of the median wide.
bool converged(std::span<const double> values, double width);

}  // namespace quartet::bench

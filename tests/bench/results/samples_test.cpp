#include "bench/results/samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/check.hpp"

namespace quartet::bench {
namespace {

using Ranks = std::optional<std::pair<int, int>>;

TEST(MedianIntervalRanks, NeedSixValues) {
    for (const int values : {0, 1, 2, 5}) {
        EXPECT_EQ(median_interval_ranks(values), std::nullopt) << values;
    }
}

// As in tables of the sign test's critical values (two-sided, 5%).
TEST(MedianIntervalRanks, AreTheTabledOnes) {
    EXPECT_EQ(median_interval_ranks(6), Ranks(std::pair(1, 6)));
    EXPECT_EQ(median_interval_ranks(8), Ranks(std::pair(1, 8)));
    EXPECT_EQ(median_interval_ranks(9), Ranks(std::pair(2, 8)));
    EXPECT_EQ(median_interval_ranks(10), Ranks(std::pair(2, 9)));
    EXPECT_EQ(median_interval_ranks(20), Ranks(std::pair(6, 15)));
    EXPECT_EQ(median_interval_ranks(100), Ranks(std::pair(40, 61)));
}

TEST(MedianIntervalRanks, ApproachTheNormalDistribution) {
    const auto ranks = median_interval_ranks(100000);
    ASSERT_TRUE(ranks);
    EXPECT_NEAR(ranks->first, 50000 - 1.96 * std::sqrt(100000) / 2, 2);
    EXPECT_EQ(ranks->first + ranks->second, 100001);
}

TEST(Median, IsTheMiddleOfSortedValues) {
    EXPECT_EQ(median(std::array{7.0}), 7);
    EXPECT_EQ(median(std::array{9.0, 1.0, 5.0}), 5);
    EXPECT_EQ(median(std::array{9.0, 1.0, 4.0, 2.0}), 3) << "between the middle two";
    EXPECT_THROW(median({}), Failure);
}

TEST(Summary, DescribesTheSample) {
    const Summary summary = summarise(std::array{4.0, 2.0, 9.0, 5.0});
    EXPECT_EQ(summary.median, 4.5);
    EXPECT_EQ(summary.mean, 5);
    EXPECT_DOUBLE_EQ(summary.stddev, std::sqrt(26.0 / 3.0));
    EXPECT_EQ(summary.minimum, 2);
    EXPECT_EQ(summary.maximum, 9);
    EXPECT_DOUBLE_EQ(summary.variation(), std::sqrt(26.0 / 3.0) / 5);
    EXPECT_FALSE(summary.interval) << "four values have none";
}

TEST(Summary, OfOneValueHasNoSpread) {
    const Summary summary = summarise(std::array{3.0});
    EXPECT_EQ(summary.mean, 3);
    EXPECT_EQ(summary.stddev, 0);
    EXPECT_EQ(summary.variation(), 0);
}

TEST(Summary, OfZerosDividesByNothing) {
    EXPECT_EQ(summarise(std::array{0.0, 0.0}).variation(), 0);
}

TEST(Summary, TakesTheIntervalFromTheSortedValues) {
    std::vector<double> values(20);
    std::iota(values.begin(), values.end(), 1.0);
    std::ranges::reverse(values);
    const Summary summary = summarise(values);
    ASSERT_TRUE(summary.interval);
    EXPECT_EQ(summary.interval->lower, 6);
    EXPECT_EQ(summary.interval->upper, 15);
}

TEST(Summary, OfNothingIsAFailure) {
    EXPECT_THROW(summarise({}), Failure);
}

TEST(Converged, NeedsAnInterval) {
    EXPECT_FALSE(converged(std::array{1.0, 1.0, 1.0, 1.0, 1.0}, 0.05)) << "five are too few";
    EXPECT_TRUE(converged(std::array{1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 0.05));
}

TEST(Converged, ComparesTheIntervalWithTheMedian) {
    // The median is 100, the interval of six values reaches from the least to the greatest.
    const std::array values{98.0, 99.0, 100.0, 100.0, 101.0, 103.0};
    EXPECT_TRUE(converged(values, 0.05));
    EXPECT_FALSE(converged(values, 0.049));
}

TEST(Quantiles, AreValuesOfTheSample) {
    std::vector<double> values(100);
    std::iota(values.rbegin(), values.rend(), 1.0);
    const Quantiles of_hundred = quantiles(values);
    EXPECT_EQ(of_hundred.count, 100U);
    EXPECT_EQ(of_hundred.p50, 50);
    EXPECT_EQ(of_hundred.p90, 90);
    EXPECT_EQ(of_hundred.p99, 99);
    EXPECT_EQ(of_hundred.maximum, 100);
    EXPECT_EQ(quantiles(std::vector<double>{7}).p50, 7);
    EXPECT_THROW(quantiles({}), Failure);
}

}  // namespace
}  // namespace quartet::bench

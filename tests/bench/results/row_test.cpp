#include "bench/results/row.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "bench/fake_rows.hpp"
#include "core/check.hpp"

namespace quartet::bench {
namespace {

using Ranks = std::optional<std::pair<int, int>>;

TEST(Work, HasItsRateInItsUnit) {
    Work work;
    work.bytes = mebibytes(6);
    work.flops = {4e9};
    EXPECT_EQ(work.rate({2}), 3) << "MiB/s";
    EXPECT_EQ(name(work.unit), "MiB/s");

    work.unit = RateUnit::gflops;
    EXPECT_EQ(work.rate({2}), 2) << "GFLOP/s";
    EXPECT_EQ(name(work.unit), "GFLOP/s");
}

TEST(FractionOfLimit, IsTheLimitsTimeOverTheMedian) {
    Row row = fake_row({0.5, 0.25, 4});
    EXPECT_EQ(row.fraction_of_limit(), std::nullopt) << "no limit was measured";
    row.limit.emplace();
    row.limit->add({{"local add", {0.125}}});
    EXPECT_EQ(row.fraction_of_limit(), 0.25);
    row.runs.clear();
    EXPECT_EQ(row.fraction_of_limit(), std::nullopt) << "nothing was run";
}

TEST(Limit, IsTheMedianOfEachProbesSlowestComponent) {
    Limit limit;
    limit.add({{"add", {1}, {1}}, {"link", {2}}});
    limit.add({{"add", {5}, {3}}, {"link", {3}}});
    limit.add({{"add", {1}, {2}}, {"link", {4}}});
    EXPECT_EQ(limit.seconds, Seconds{4});
    ASSERT_EQ(limit.components.size(), 2U);
    EXPECT_EQ(limit.components[0].seconds, Seconds{1});
    EXPECT_EQ(limit.components[0].hardware, Seconds{2}) << "it is no limit by itself";
    EXPECT_EQ(limit.components[1].seconds, Seconds{3});
    EXPECT_EQ(slowest(limit.components).name, "link");
    EXPECT_THROW(limit.add({}), Failure);
    EXPECT_THROW(limit.add({{"add", {1}}}), Failure) << "another limit";
}

TEST(Limit, SaysWhatAllRanksWouldAllowWhereOnlySomeTakePart) {
    LimitComponent component{"SGEMM", {4}};
    component.extend(2, 2);
    Limit limit;
    limit.add({{"reducers", {1}}, component});
    EXPECT_EQ(limit.on_some_ranks(), nullptr);
    component.extend(3, 4);
    limit = {};
    limit.add({{"reducers", {1}}, component});
    ASSERT_EQ(limit.on_some_ranks(), &limit.components[1]);
    EXPECT_EQ(limit.components[1].ranks, 3);
    EXPECT_EQ(limit.components[1].all_ranks, Seconds{3});
    EXPECT_EQ(limit.seconds, Seconds{4}) << "it is no limit by itself";
}

// As in tables of the sign test's critical values (two-sided, 5%).
TEST(MedianIntervalRanks, AreTheTabledOnes) {
    EXPECT_EQ(median_interval_ranks(5), std::nullopt);
    EXPECT_EQ(median_interval_ranks(6), Ranks(std::pair(1, 6)));
    EXPECT_EQ(median_interval_ranks(8), Ranks(std::pair(1, 8)));
    EXPECT_EQ(median_interval_ranks(9), Ranks(std::pair(2, 8)));
    EXPECT_EQ(median_interval_ranks(20), Ranks(std::pair(6, 15)));
    EXPECT_EQ(median_interval_ranks(100), Ranks(std::pair(40, 61)));
    const auto of_many = median_interval_ranks(100000);
    ASSERT_TRUE(of_many);
    EXPECT_NEAR(of_many->first, 50000 - 1.96 * std::sqrt(100000) / 2, 2)
        << "the normal distribution";
    EXPECT_EQ(of_many->first + of_many->second, 100001);
}

TEST(Summary, DescribesTheSample) {
    const Summary summary = Summary::of(std::array{4.0, 2.0, 9.0, 5.0});
    EXPECT_EQ(summary.median, 4.5) << "between the middle two";
    EXPECT_EQ(summary.mean, 5);
    EXPECT_DOUBLE_EQ(summary.stddev, std::sqrt(26.0 / 3.0));
    EXPECT_EQ(summary.minimum, 2);
    EXPECT_EQ(summary.maximum, 9);
    EXPECT_EQ(summary.middle_half, 1);
    EXPECT_DOUBLE_EQ(summary.variation(), std::sqrt(26.0 / 3.0) / 5);
    EXPECT_FALSE(summary.interval) << "four values have none";
    EXPECT_EQ(Summary::of(std::array{9.0, 1.0, 5.0}).median, 5);
    EXPECT_THROW(Summary::of({}), Failure);
}

TEST(Summary, TakesTheIntervalFromTheSortedValues) {
    std::vector<double> values(20);
    std::iota(values.rbegin(), values.rend(), 1.0);
    const Summary summary = Summary::of(values);
    ASSERT_TRUE(summary.interval);
    EXPECT_EQ(summary.interval->lower, 6);
    EXPECT_EQ(summary.interval->upper, 15);
    EXPECT_EQ(summary.middle_half, 9) << "15 - 6";
}

TEST(Summary, ComparesTheIntervalWithTheMedian) {
    // The median is 100, the interval of six values reaches from the least to the greatest.
    const Summary summary = Summary::of(std::array{98.0, 99.0, 100.0, 100.0, 101.0, 103.0});
    EXPECT_TRUE(summary.within(0.05));
    EXPECT_FALSE(summary.within(0.049));
    EXPECT_FALSE(Summary::of(std::array{1.0, 1.0, 1.0, 1.0, 1.0}).within(0.05)) << "too few";
}

}  // namespace
}  // namespace quartet::bench

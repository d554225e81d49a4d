#include "bench/results/row.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

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

std::string host_of(int rank) {
    return "node" + std::to_string(rank / 128);
}

TEST(RankSummary, Of16384RanksHasQuantilesAndTheSlowest) {
    std::vector<double> seconds;
    for (int rank = 0; rank < 16384; ++rank) {
        seconds.push_back(1 + (rank * 4099) % 16384);  // each of 1 to 16384 once
    }
    const RankSummary summary = RankSummary::of(seconds, host_of);
    EXPECT_EQ(summary.ranks, 16384);
    EXPECT_EQ(summary.mean, 8192.5);
    EXPECT_EQ(summary.minimum, 1);
    EXPECT_EQ(summary.p25, 4096);
    EXPECT_EQ(summary.p50, 8192);
    EXPECT_EQ(summary.p75, 12288);
    EXPECT_EQ(summary.p99, 16221);
    EXPECT_EQ(summary.maximum, 16384);
    ASSERT_EQ(summary.slowest.size(), 16U);
    for (std::size_t index = 0; index < summary.slowest.size(); ++index) {
        const auto& [rank, host, time] = summary.slowest[index];
        EXPECT_EQ(time, 16384.0 - static_cast<double>(index));
        EXPECT_EQ(time, seconds[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(host, host_of(rank));
    }
}

}  // namespace
}  // namespace quartet::bench

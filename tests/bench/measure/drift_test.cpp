#include "bench/measure/drift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace quartet::bench {
namespace {

// Times of about one second, spread by `noise`, and what a run has beside them.
template <typename Extra>
std::vector<double> times_of(int runs, double noise, int seed, Extra extra) {
    std::mt19937 generator(static_cast<unsigned>(seed));
    std::normal_distribution<double> normal(0, noise);
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
        times.push_back(1 + normal(generator) + extra(run));
    }
    return times;
}

// Of so many made-up series, how many are taken for a drift.
template <typename Extra>
int flagged_by(int series, int runs, double noise, Extra extra) {
    int count = 0;
    for (int seed = 0; seed < series; ++seed) {
        count += drift(times_of(runs, noise, seed, extra)) ? 1 : 0;
    }
    return count;
}

double nothing(int) {
    return 0;
}

TEST(Drift, OfEvenStepsIsTheChangeBetweenTheQuarters) {
    // Three runs in each quarter: medians 1.1 and 1.6.
    const std::vector<double> slower{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};
    ASSERT_TRUE(drift(slower));
    EXPECT_DOUBLE_EQ(*drift(slower), 1.6 / 1.1 - 1);
    std::vector<double> faster = slower;
    std::ranges::reverse(faster);
    ASSERT_TRUE(drift(faster));
    EXPECT_DOUBLE_EQ(*drift(faster), 1.1 / 1.6 - 1);
}

TEST(Drift, IsFoundInNoise) {
    for (const int runs : {10, 20, 40}) {
        const auto slope = [runs](int run) { return 0.2 * run / (runs - 1); };
        EXPECT_GE(flagged_by(100, runs, 0.02, slope), 90) << runs;
        const auto step = [runs](int run) { return run < runs / 2 ? 0 : 0.15; };
        EXPECT_GE(flagged_by(100, runs, 0.02, step), 90) << runs;
    }
}

TEST(Drift, NoiseOfTheSameSizeIsNone) {
    for (const int runs : {8, 10, 13, 20, 40, 200}) {
        EXPECT_LE(flagged_by(200, runs, 0.05, nothing), 8) << runs;
        EXPECT_LE(flagged_by(200, runs, 0.2, nothing), 8) << runs;
    }
}

TEST(Drift, SingleSlowRunsAreNone) {
    for (int slow = 0; slow < 10; ++slow) {
        std::vector<double> times(10, 1.0);
        times[static_cast<std::size_t>(slow)] = 2;
        EXPECT_FALSE(drift(times)) << slow;
    }
}

TEST(Drift, OfFewRunsIsNotJudged) {
    const std::vector<double> times{1, 2, 3, 4, 5, 6, 7};
    EXPECT_FALSE(drift(times));
    EXPECT_FALSE(drift(std::span(times).first(6)));
    EXPECT_FALSE(drift({}));
}

TEST(Drift, OfLessThanATwentiethIsNone) {
    const auto step = [](double by) { return [by](int run) { return run < 5 ? 0 : by; }; };
    EXPECT_FALSE(drift(times_of(10, 0, 0, step(0.049))));
    EXPECT_TRUE(drift(times_of(10, 0, 0, step(0.051))));
}

TEST(Drift, OfRunsThatTakeNoTimeIsNone) {
    EXPECT_FALSE(drift(std::vector<double>(10, 0.0)));
    EXPECT_FALSE(drift(std::vector<double>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
}

TEST(Drift, IsSaidInPerCent) {
    EXPECT_EQ(describe_drift(0.123), "the last quarter of the runs took 12% longer than the first");
    EXPECT_EQ(describe_drift(-0.3), "the last quarter of the runs took 30% less than the first");
}

}  // namespace
}  // namespace quartet::bench

#include "bench/measure/two_speeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace quartet::bench {
namespace {

using Random = std::mt19937;
using Noise = std::function<double(Random&)>;

Noise normal(double spread) {
    return [spread](Random& random) {
        return 1 + std::normal_distribution<double>(0, spread)(random);
    };
}

// Of so many made-up series, the share that has two speeds.
template <typename Time>
double found(int runs, Time time) {
    constexpr int series = 1000;
    int count = 0;
    for (int seed = 0; seed < series; ++seed) {
        Random random(static_cast<unsigned>(seed));
        std::vector<double> times;
        for (int run = 0; run < runs; ++run) {
            times.push_back(std::max(0.01, time(random, run)));
        }
        count += two_speeds(times) ? 1 : 0;
    }
    return static_cast<double>(count) / series;
}

double false_alarms(int runs, const Noise& noise) {
    return found(runs, [&](Random& random, int) { return noise(random); });
}

constexpr int run_counts[] = {5, 6, 8, 10, 20};

TEST(TwoSpeeds, AreSeldomFoundInNoise) {
    const Noise log_normal = [](Random& random) {
        return std::lognormal_distribution<double>(0, 0.1)(random);
    };
    const Noise exponential = [](Random& random) {
        return 1 + 0.1 * std::exponential_distribution<double>(1)(random);
    };
    const Noise heavy_tails = [](Random& random) {
        return 1 + 0.1 * std::student_t_distribution<double>(3)(random);
    };
    for (const int runs : run_counts) {
        EXPECT_EQ(false_alarms(runs, normal(0.05)), 0) << runs;
        EXPECT_LE(false_alarms(runs, normal(0.1)), 0.006) << runs;
        EXPECT_LE(false_alarms(runs, log_normal), 0.006) << runs;
        EXPECT_LE(false_alarms(runs, exponential), 0.01) << runs;
        EXPECT_LE(false_alarms(runs, heavy_tails), 0.03) << runs;
    }
}

TEST(TwoSpeeds, AreFoundWhereTheyAre) {
    const Noise noise = normal(0.05);
    for (const int runs : run_counts) {
        EXPECT_GE(
            found(runs, [&](Random& random,
                            int run) { return noise(random) * (run * 10 >= 3 * runs ? 2 : 1); }),
            0.95)
            << runs << ", a step";
    }
    const auto in_turns = [&](Random& random, int) {
        return noise(random) * (std::bernoulli_distribution(0.5)(random) ? 2 : 1);
    };
    EXPECT_GE(found(6, in_turns), 0.65);
    EXPECT_GE(found(10, in_turns), 0.95);
}

TEST(TwoSpeeds, SayWhereTheStepIs) {
    const std::vector<double> slower{1.0, 1.1, 1.05, 5.0, 5.2, 5.1, 5.0, 5.1, 5.3, 5.0};
    const auto speeds = two_speeds(slower);
    ASSERT_TRUE(speeds && speeds->step);
    EXPECT_EQ(*speeds->step, 3U);
    EXPECT_TRUE(speeds->becomes_slower);
    EXPECT_EQ(describe_two_speeds(*speeds, slower.size(), "run"),
              "from run 4 of 10 on it took 4.9 times as long");
    std::vector<double> faster = slower;
    std::ranges::reverse(faster);
    EXPECT_EQ(describe_two_speeds(*two_speeds(faster), 10, "probe"),
              "from probe 8 of 10 on it took 1/4.9 of the time");
}

TEST(TwoSpeeds, SayHowManyRunsAreSlowWhereTheyTakeTurns) {
    const std::vector<double> turns{1, 2, 1, 1, 2, 1};
    const auto speeds = two_speeds(turns);
    ASSERT_TRUE(speeds);
    EXPECT_FALSE(speeds->step);
    EXPECT_EQ(describe_two_speeds(*speeds, turns.size(), "run"),
              "2 of 6 runs took 2 times as long as the others");
}

TEST(TwoSpeeds, AreNotJudgedByOneRunNorInFew) {
    EXPECT_FALSE(two_speeds(std::vector<double>{1, 1, 9, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_FALSE(two_speeds(std::vector<double>{1, 1, 9, 9}));
    EXPECT_FALSE(two_speeds(std::vector<double>(10, 0.0)));
    EXPECT_FALSE(two_speeds({}));
}

TEST(TwoSpeeds, MayHaveAnOutlierBesides) {
    EXPECT_TRUE(two_speeds(std::vector<double>{1, 2, 1.02, 2.05, 1.01, 9, 2, 1.03, 2.02, 1}));
}

}  // namespace
}  // namespace quartet::bench

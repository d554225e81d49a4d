#include "bench/measure/run_series.hpp"

#include <gmock/gmock.h>

namespace quartet::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

enum class Machine { quiet, disturbed };

// In the round whose number is its time.
Sample sample(int round, Machine machine = Machine::quiet) {
    Sample sample;
    sample.run.real = {static_cast<double>(round)};
    sample.run.round = round;
    sample.run.conditions.window = {static_cast<double>(round)};
    sample.run.conditions.others_share = machine == Machine::quiet ? 0.0 : 0.9;
    return sample;
}

std::vector<double> shown(const RunSeries& series) {
    return times(runs_in(series.shown()));
}

RunSeries series_of(const std::vector<Sample>& samples) {
    RunSeries series({.count = static_cast<int>(samples.size())});
    for (const Sample& one : samples) {
        series.add(one);
    }
    return series;
}

TEST(RunSeries, WantsAsManyRunsAsWereAskedFor) {
    RunSeries series({.count = 2});
    EXPECT_FALSE(series.has_any());
    EXPECT_EQ(series.planned_size(), 2);
    series.add(sample(1));
    EXPECT_TRUE(series.wants_run());
    series.add(sample(2));
    EXPECT_FALSE(series.wants_run());
    series.end();
    EXPECT_THAT(shown(series), ElementsAre(1, 2));
    EXPECT_THAT(series.replaced(), IsEmpty());
}

TEST(RunSeries, DisturbedRunsGiveWayToRepetitionsThatAreNot) {
    RunSeries series =
        series_of({sample(1), sample(2, Machine::disturbed), sample(3, Machine::disturbed)});
    EXPECT_FALSE(series.wants_run()) << "nobody asked for repetitions";
    series.begin_repeats({});
    EXPECT_EQ(series.planned_size(), 0);
    EXPECT_TRUE(series.wants_run());
    series.add(sample(4, Machine::disturbed));
    series.add(sample(5));
    EXPECT_TRUE(series.wants_run());
    series.add(sample(6));
    EXPECT_FALSE(series.wants_run());
    series.end();
    EXPECT_THAT(shown(series), ElementsAre(1, 5, 6));
    EXPECT_THAT(times(series.replaced()), ElementsAre(2, 3, 4));
}

TEST(RunSeries, RepetitionsEndAlsoOnAMachineThatIsNeverQuiet) {
    RunSeries series = series_of({sample(1, Machine::disturbed), sample(2, Machine::disturbed)});
    series.begin_repeats({});
    int round = 3;
    for (; series.wants_run(); ++round) {
        ASSERT_LT(round, 20);
        series.add(sample(round, Machine::disturbed));
    }
    EXPECT_EQ(round, 7) << "three times what was asked for";
    series.end();
    EXPECT_THAT(shown(series), ElementsAre(1, 2)) << "the first, not the fastest";
}

TEST(RunSeries, ANewSeriesCountsOnceItIsComplete) {
    RunSeries series = series_of({sample(1), sample(2)});
    series.start_anew();
    EXPECT_TRUE(series.has_any());
    series.add(sample(3));
    EXPECT_THAT(shown(series), ElementsAre(1, 2));
    series.add(sample(4));
    EXPECT_THAT(shown(series), ElementsAre(3, 4));
    series.end();
    EXPECT_THAT(shown(series), ElementsAre(3, 4));
    EXPECT_THAT(times(series.replaced()), ElementsAre(1, 2));
    EXPECT_EQ(series.measured_again(), 1);
}

TEST(RunSeries, ANewSeriesThatEndsEarlyIsGivenUp) {
    RunSeries series = series_of({sample(1), sample(2)});
    EXPECT_FALSE(series.give_up());
    series.start_anew();
    series.add(sample(3));
    series.end();
    EXPECT_THAT(shown(series), ElementsAre(1, 2));
    EXPECT_THAT(times(series.replaced()), ElementsAre(3));

    RunSeries other = series_of({sample(1)});
    other.start_anew();
    EXPECT_TRUE(other.give_up());
    EXPECT_THAT(shown(other), ElementsAre(1));
}

}  // namespace
}  // namespace quartet::bench

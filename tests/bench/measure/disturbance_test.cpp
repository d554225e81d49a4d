#include "bench/measure/disturbance.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;

// Two cores, observed for a second, of which the job's own take all.
RunConditions calm() {
    RunConditions conditions;
    conditions.window = {1};
    conditions.rank_cores = 1;
    conditions.node_cores = 2;
    conditions.stolen_share = 0;
    conditions.others_share = 0;
    conditions.waiting_share = 0;
    conditions.clock_probe_seconds = 1e-4;
    return conditions;
}

std::vector<Cause> causes_with(const std::function<void(RunConditions&)>& change) {
    RunConditions conditions = calm();
    change(conditions);
    return causes_of(conditions, 1e-4);
}

TEST(CausesOf, AreNoneOnAQuietMachine) {
    EXPECT_THAT(causes_of(calm(), 1e-4), IsEmpty());
    EXPECT_THAT(causes_of(RunConditions{}, std::nullopt), IsEmpty()) << "that tells nothing";
}

TEST(CausesOf, AreWhateverTookATwentiethOfTheCores) {
    EXPECT_THAT(causes_with([](auto& now) { now.others_share = 0.06; }),
                ElementsAre(Cause::others));
    EXPECT_THAT(causes_with([](auto& now) { now.others_share = 0.04; }), IsEmpty());
    EXPECT_THAT(causes_with([](auto& now) { now.stolen_share = 0.07; }),
                ElementsAre(Cause::stolen));
    EXPECT_THAT(causes_with([](auto& now) { now.waiting_share = 0.05; }),
                ElementsAre(Cause::waiting));
    EXPECT_THAT(causes_with([](auto& now) { now.clock_probe_seconds = 1.8e-4; }),
                ElementsAre(Cause::clock));
    EXPECT_THAT(causes_with([](auto& now) { now.clock_probe_seconds = 1.7e-4; }), IsEmpty());
    EXPECT_THAT(causes_with([](auto& now) { now.minor_page_faults = 110000; }),
                ElementsAre(Cause::faults));
    EXPECT_THAT(causes_with([](auto& now) { now.major_page_faults = 600; }),
                ElementsAre(Cause::faults));
    EXPECT_THAT(causes_with([](auto& now) {
                    now.others_share = 0.5;
                    now.waiting_share = 0.5;
                }),
                ElementsAre(Cause::others, Cause::waiting));
}

TEST(CausesOf, AreNotATickOfTheirClock) {
    const auto in_a_short_run = [](auto& now) {
        now.window = {0.05};
        now.others_share = 0.5;  // five ticks on two cores
        now.stolen_share = 1.0;
    };
    EXPECT_THAT(causes_with(in_a_short_run), IsEmpty());
}

TEST(CausesOf, AreNotTheJobsOwnThreads) {
    EXPECT_THAT(causes_with([](auto& now) {
                    now.waiting_share = 0.9;
                    now.oversubscribed = true;
                }),
                IsEmpty());
}

TEST(CausesOf, ARunAreAlsoThoseOfItsProbe) {
    bench::Run run;
    run.conditions = calm();
    run.conditions.others_share = 0.5;
    run.probe_conditions = calm();
    run.probe_conditions.waiting_share = 0.5;
    run.probe_conditions.others_share = 0.5;
    run.probe_conditions.minor_page_faults = 1000000;
    EXPECT_THAT(causes_of(run, 1e-4), ElementsAre(Cause::others, Cause::waiting));
}

// What the kernel's counters say of a second job that keeps one core busy for some of the time.
// Ticks of 10 ms are sampled: each counts whole for whoever runs at its end.
class CountedLoad {
  public:
    explicit CountedLoad(unsigned seed) : random_(seed) {}

    // Shares of two cores over a run, with `load` of them taken by others, beside what runs on
    // every machine: a hundredth of a core in pieces of a millisecond.
    RunConditions during(double seconds, double load) {
        constexpr double tick = 0.01;
        const double background = 0.01;
        const int ticks = static_cast<int>(2 * seconds / tick);
        std::binomial_distribution<int> sampled(ticks, std::min(1.0, load + background / 2));
        // The job's own time is exact, the sum of both is sampled: begin and end cut a tick each.
        std::uniform_real_distribution<double> cut(-1, 1);
        const double others = (sampled(random_) + cut(random_) + cut(random_)) * tick;
        RunConditions conditions = calm();
        conditions.window = {seconds};
        conditions.others_share = std::max(0.0, others / (2 * seconds));
        // On cores that are all in use, who waits for others is one of ours.
        std::exponential_distribution<double> wait(1 / (load + background / 4));
        conditions.waiting_share = load > 0 ? load : std::min(1.0, 0.1 * wait(random_));
        return conditions;
    }

  private:
    std::mt19937 random_;
};

// Of so many rows of ten runs, the share that is described as disturbed. A run is hit with
// probability `hit`; then others take `load` of the cores.
double flagged(double seconds, double hit, double load) {
    constexpr int rows = 400;
    constexpr int runs = 10;
    CountedLoad machine(1);
    std::mt19937 random(2);
    std::bernoulli_distribution is_hit(hit);
    int count = 0;
    for (int row = 0; row < rows; ++row) {
        std::vector<Run> measured(runs);
        for (Run& run : measured) {
            run.conditions = machine.during(seconds, is_hit(random) ? load : 0);
        }
        count += describe_disturbance(measured, 1e-4).empty() ? 0 : 1;
    }
    return static_cast<double>(count) / rows;
}

TEST(Disturbance, FalseAlarmsAreFewerThanOneInAHundredRows) {
    for (const double seconds : {0.01, 0.05, 0.2, 1.0, 5.0}) {
        EXPECT_LE(flagged(seconds, 0, 0), 0.01) << seconds;
    }
}

TEST(Disturbance, OfHalfTheRunsIsFound) {
    for (const double seconds : {0.01, 0.05, 0.2, 1.0, 5.0}) {
        EXPECT_GE(flagged(seconds, 0.5, 0.25), 0.9) << seconds;
        EXPECT_GE(flagged(seconds, 1, 0.06), 0.95) << seconds;
    }
}

TEST(Disturbance, OfOneRunInTenIsTolerated) {
    EXPECT_LE(flagged(1.0, 0.05, 0.5), 0.05);
}

// Runs of a second each.
Row row_of(const std::vector<RunConditions>& conditions) {
    Row row = fake_row(std::vector<double>(conditions.size(), 1));
    for (std::size_t run = 0; run < conditions.size(); ++run) {
        row.runs[run].conditions = conditions[run];
    }
    return row;
}

Row row_on_cores(const std::vector<double>& loops) {
    std::vector<RunConditions> conditions(loops.size(), calm());
    for (std::size_t run = 0; run < loops.size(); ++run) {
        conditions[run].clock_probe_seconds = loops[run];
    }
    return row_of(conditions);
}

TEST(Shares, OfSeveralRunsAreThoseOfTheirTime) {
    RunConditions busy = calm();
    busy.stolen_share = 0.5;
    busy.others_share = 0.25;
    RunConditions quiet = calm();
    quiet.stolen_share = 0.1;
    Row row = row_of({busy, quiet});
    row.runs[1].real = {3};
    EXPECT_DOUBLE_EQ(*share_of(row.runs, &RunConditions::stolen_share), 0.2);
    EXPECT_DOUBLE_EQ(*share_of(row.runs, &RunConditions::others_share), 0.0625);
    EXPECT_DOUBLE_EQ(*share_of(row.runs, &RunConditions::waiting_share), 0);
    row.runs[0].conditions.stolen_share.reset();
    EXPECT_EQ(share_of(row.runs, &RunConditions::stolen_share), std::nullopt);
    EXPECT_EQ(share_of(fake_row({}).runs, &RunConditions::stolen_share), std::nullopt);
}

TEST(ClockProbeSeconds, AreTheMedianOfTheRunsAndTheBestOfTheJob) {
    Row row = row_on_cores({3, 1, 2});
    EXPECT_EQ(clock_probe_seconds(row.runs), 2);
    EXPECT_EQ(best_clock_probe(std::vector{row_on_cores({4, 2}), row}), 1);
    row.runs[1].conditions.clock_probe_seconds.reset();
    EXPECT_EQ(clock_probe_seconds(row.runs), std::nullopt);
    EXPECT_EQ(clock_probe_seconds(fake_row({}).runs), std::nullopt);
    EXPECT_EQ(best_clock_probe({}), std::nullopt);
}

TEST(DescribeDisturbance, SaysWhatDisturbedMostRuns) {
    RunConditions others = calm();
    others.others_share = 0.48;
    RunConditions both = others;
    both.stolen_share = 0.3;
    EXPECT_THAT(describe_disturbance(row_of({others, both, calm(), others}).runs, 1e-4),
                StrEq("other processes ran for 48% of the cores' time in 3 of 4 runs"));
    RunConditions stolen = calm();
    stolen.stolen_share = 0.3;
    EXPECT_THAT(describe_disturbance(row_of({stolen}).runs, 1e-4),
                HasSubstr("withheld 30% of a core's time"));
    EXPECT_THAT(describe_disturbance(row_on_cores({2.5, 2.5, 2}).runs, 1),
                AllOf(HasSubstr("40% of their own best speed"), HasSubstr("3 of 3 runs")));
}

TEST(DescribeDisturbance, ToleratesAQuarterOfTheRuns) {
    RunConditions waiting = calm();
    waiting.waiting_share = 0.6;
    EXPECT_EQ(describe_disturbance(row_of({waiting, calm(), calm(), calm(), calm()}).runs, 1e-4),
              "");
    EXPECT_NE(describe_disturbance(row_of({waiting, calm(), calm(), calm()}).runs, 1e-4), "");
    EXPECT_EQ(tolerated_disturbances(10), 2U);
    EXPECT_EQ(tolerated_disturbances(0), 0U);
}

TEST(DescribeHeldBack, CountsTheRunsByReason) {
    RunConditions capped = calm();
    capped.power_capped_share = 0.3;
    RunConditions hot = calm();
    hot.power_capped_share = 0.04;
    hot.thermally_slowed_share = 0.5;
    hot.power_braked_share = 0;
    EXPECT_EQ(describe_held_back(row_of({capped, calm(), capped, calm()}).runs),
              "the GPU was at its power limit in 2 of 4 runs (for 30% of their time)");
    EXPECT_THAT(describe_held_back(row_of({capped, hot}).runs),
                AllOf(HasSubstr("power limit in 1 of 2 runs"),
                      HasSubstr("; the GPU was too hot, and slowed down in 1 of 2 runs (for 50%")));
    EXPECT_EQ(describe_held_back(row_of({calm(), calm()}).runs), "") << "not known";
    EXPECT_THAT(causes_of(capped, 1e-4), IsEmpty()) << "measuring again would change nothing";
}

}  // namespace
}  // namespace quartet::bench

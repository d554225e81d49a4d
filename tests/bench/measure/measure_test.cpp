#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "bench/measure/fake_case.hpp"

namespace quartet::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(MeasureTest, ProbesTheLimitRightBeforeEachRun) {
    const auto rows = measured();

    EXPECT_EQ(script.calls, "lprvlprvlprv");
    EXPECT_THAT(progress, ElementsAre(std::pair(0, 3), std::pair(1, 3), std::pair(2, 3)));
    EXPECT_THAT(rows, SizeIs(1));
    EXPECT_THAT(rows.front().runs, SizeIs(3));
    EXPECT_EQ(rows.front().note, "noted");
    EXPECT_EQ(rows.front().name.text(), planned.name.text());
}

TEST_F(MeasureTest, AStoppedCaseIsAnErrorRowAndIsNotVerified) {
    script.stopped_run = 1;
    const auto rows = measured();
    EXPECT_EQ(script.calls, "lprvlpr");
    EXPECT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows.front().error, "stopped here");
    EXPECT_EQ(rows.front().error_code, ExitCode::stopped);
    EXPECT_EQ(rows.front().name.suffix, "error");
}

TEST_F(MeasureTest, WhatRunsOnceHasNoWarmUp) {
    options.runs = {5, 0.05, 2};
    planned.repetition = Repetition::once;
    EXPECT_THAT(measured().front().runs, SizeIs(1));
    EXPECT_EQ(script.calls, "lprvl");
    EXPECT_THAT(progress, ElementsAre(std::pair(0, 1)));
}

TEST_F(MeasureTest, WhatWasSpentEarlierBelongsToTheRun) {
    planned.clock_rows = {{"paper", planned.work}};
    script.earlier.real = {1000};
    script.earlier.cpu = {2000};
    script.earlier.phases[static_cast<std::size_t>(Phase::checkpoint)] = 3000;
    const bench::Run run = measured().front().runs.front();
    EXPECT_GE(run.real.value, 1000);
    EXPECT_LT(run.real.value, 1100);
    EXPECT_GE(run.cpu.value, 2000);
    EXPECT_THAT(run.rank_seconds, Each(Ge(1000.0)));
    EXPECT_EQ(run.phases[static_cast<std::size_t>(Phase::checkpoint)], 3000);
    EXPECT_GE(run.clocks.front().value, 1000);
}

TEST_F(MeasureTest, TheLimitIsTheMedianOfTheProbes) {
    script.limits = {9, 1, 2, 5};
    const Row row = measured().front();
    EXPECT_THAT(row.limit->probes, ElementsAre(9, 1, 2));
    EXPECT_EQ(row.limit->seconds.value, 2);
    EXPECT_EQ(row.limit->decided_by(), "made up");
}

TEST_F(MeasureTest, WarmsUpOutsideOfTheMeasurement) {
    options.runs.warmup = 2;
    planned.clock_rows = {{"number", planned.work}};
    script.run = [](int run, Clocks& clocks) { clocks.record(0, {1.0 * run}); };
    options.limits = Switch::off;
    const auto rows = measured();
    EXPECT_EQ(script.calls, "prvprvprvprvprv");
    EXPECT_THAT(rows.back().times(), ElementsAre(2, 3, 4));
}

TEST_F(MeasureTest, AShortRunFollowsAnotherOneAndNotTheProbe) {
    options.runs = {2, 0.05, 1};
    planned.clock_rows = {{"number", planned.work}};
    script.run = [](int run, Clocks& clocks) { clocks.record(0, {1.0 * run}); };
    const auto rows = measured();
    EXPECT_EQ(script.calls, "prvlprvprvlprvprv");
    EXPECT_THAT(rows.back().times(), ElementsAre(2, 4));
}

TEST_F(MeasureTest, ALongRunFollowsTheProbe) {
    options.runs = {2, 0.05, 1};
    script.run = [&](int, Clocks&) { sleep({rank == size - 1 ? 0.06 : 0}); };
    measured();
    EXPECT_EQ(script.calls, "prvlprvlprv");
}

TEST_F(MeasureTest, MeasuresNoLimitsWhereTheyAreOff) {
    options.limits = Switch::off;
    EXPECT_FALSE(measured().front().limit);
    EXPECT_EQ(script.calls, "prvprvprv");
}

TEST_F(MeasureTest, VerifiesNothingWhereThatIsOff) {
    options.verify = Switch::off;
    EXPECT_FALSE(measured().front().check);
    EXPECT_EQ(script.calls, "lprlprlpr");
}

TEST_F(MeasureTest, TheTimeIsTheSlowestRanks) {
    const int slow = size - 1;
    script.run = [&](int, Clocks&) { sleep({rank == slow ? 0.02 : 0}); };

    const Row row = measured().front();

    for (const bench::Run& run : row.runs) {
        EXPECT_GE(run.real.value, 0.02) << "on every rank";
        EXPECT_THAT(run.rank_seconds, SizeIs(static_cast<std::size_t>(size)));
        EXPECT_EQ(run.real.value, run.rank_seconds.at(static_cast<std::size_t>(slow)));
        EXPECT_EQ(run.real.value, std::ranges::max(run.rank_seconds));
    }
}

TEST_F(MeasureTest, TheClockProbeIsTheSlowestRanksAfterEachRun) {
    options.threads = 3;
    machine.clock_probe = [&](int threads) {
        script.calls += 'c';
        return Seconds{1e-4 * (threads + rank)};
    };
    const auto rows = measured();
    EXPECT_EQ(script.calls, "lprcvlprcvlprcv");
    for (const bench::Run& run : rows.front().runs) {
        EXPECT_DOUBLE_EQ(run.conditions.clock_probe_seconds.value(), 1e-4 * (3 + size - 1));
    }
}

TEST_F(MeasureTest, WithoutLimitsNoClockProbeRuns) {
    options.limits = Switch::off;
    machine.clock_probe = [](int) -> Seconds { throw Failure("not asked for"); };
    const auto rows = measured();
    EXPECT_EQ(rows.front().runs.front().conditions.clock_probe_seconds, std::nullopt);
}

// They wait for cores wherever ranks leave none free: that is what such a transport costs.
TEST_F(MeasureTest, ThreadsOfATransportsLibraryMayWaitForACore) {
    options.threads = 1;
    const bool is_full = measured().front().runs.front().conditions.oversubscribed;
    planned.name.variant.transport = "grpc";
    EXPECT_TRUE(measured().front().runs.front().conditions.oversubscribed);
    Session session = fake_session(options);
    EXPECT_EQ(is_full, size > session.topology().resources().cores);
}

TEST_F(MeasureTest, RankSecondsAreInTheOrderOfTheRanks) {
    script.run = [&](int, Clocks&) { sleep(0.02 * (size - rank) * Seconds{1}); };
    const auto rows = measured();
    for (const bench::Run& run : rows.front().runs) {
        for (int r = 0; r < size; ++r) {
            EXPECT_GE(run.rank_seconds.at(static_cast<std::size_t>(r)), 0.02 * (size - r));
        }
    }
}

TEST_F(MeasureTest, WaitsForWhatTheRunLeftInTheStream) {
    Session session = fake_session(options);
    script.run = [&](int, Clocks&) {
        session.stream().enqueue(Phase::compute, "late", [] { sleep({0.02}); });
    };
    const auto rows = measured(session);
    for (const bench::Run& run : rows.front().runs) {
        EXPECT_GE(run.real.value, 0.02);
        EXPECT_GE(run.phases[static_cast<std::size_t>(Phase::compute)], 0.02);
        EXPECT_EQ(run.phases[static_cast<std::size_t>(Phase::read)], 0);
    }
}

TEST_F(MeasureTest, PhasesAreThoseOfTheSlowestRankInThatRun) {
    Session session = fake_session(options);
    script.run = [&](int, Clocks&) {
        const Phase phase = rank == size - 1 ? Phase::push : Phase::wait;
        session.stream().enqueue(phase, "phase",
                                 [=, slow = rank == size - 1] { sleep({slow ? 0.02 : 0.001}); });
    };
    const auto rows = measured(session);
    for (const bench::Run& run : rows.front().runs) {
        EXPECT_GE(run.phases[static_cast<std::size_t>(Phase::push)], 0.02);
        EXPECT_EQ(run.phases[static_cast<std::size_t>(Phase::wait)], 0);
    }
}

TEST_F(MeasureTest, ProcessorTimeIsTheSlowestRanksOwn) {
    script.run = [&](int, Clocks&) {
        if (rank == size - 1) {
            sleep({0.05});  // takes time, but no processor's
        }
    };
    const auto rows = measured();
    for (const bench::Run& run : rows.front().runs) {
        EXPECT_LT(run.cpu.value, run.real.value);
    }
}

TEST_F(MeasureTest, OneWrongRunMakesTheRowWrong) {
    script.verify = [](int run) {
        return run == 1 ? Check{false, 17, 0.5} : Check{true, 0.25, 0.5};
    };
    const Row row = measured().front();
    EXPECT_FALSE(row.check->passed);
    EXPECT_EQ(row.check->error, 17);
    EXPECT_EQ(row.check->tolerance, 0.5);
}

TEST_F(MeasureTest, AWrongWarmUpMakesTheRowWrongToo) {
    options.runs.warmup = 1;
    script.verify = [](int run) { return Check{run > 0, 0, 0}; };
    EXPECT_FALSE(measured().front().check->passed);
}

TEST_F(MeasureTest, TheWorstErrorIsReported) {
    script.verify = [](int run) { return Check{true, run == 1 ? 0.25 : 0.125, 0.5}; };
    const Row fine = measured().front();
    EXPECT_TRUE(fine.check->passed);
    EXPECT_EQ(fine.check->error, 0.25);

    script.verify = [](int run) { return Check{false, run == 0 ? 99.0 : 1.0, 0.5}; };
    EXPECT_EQ(measured().front().check->error, 99) << "of wrong runs, too";

    script.verify = [](int run) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        return Check{run != 1, run == 1 ? nan : 0.25, 0.5};
    };
    EXPECT_TRUE(std::isnan(measured().front().check->error)) << "nothing is worse than NaN";
}

TEST_F(MeasureTest, EachClockIsARowOfItsOwn) {
    Work half = planned.work;
    half.bytes = kibibytes(512);
    planned.clock_rows = {{"paper", planned.work}, {"pair:0-1", half}};
    script.run = [&](int run, Clocks& clocks) {
        if (rank == size - 1) {
            clocks.record(0, {run + 1.0});
        }
        if (rank == 0) {
            clocks.record(1, {10.0 * (run + 1)});
        }
    };

    const auto rows = measured();

    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].name.suffix, "");
    EXPECT_EQ(rows[1].name.suffix, "paper");
    EXPECT_EQ(rows[2].name.suffix, "pair:0-1");
    EXPECT_THAT(rows[1].times(), ElementsAre(1, 2, 3)) << "on every rank";
    EXPECT_THAT(rows[2].times(), ElementsAre(10, 20, 30));
    EXPECT_EQ(rows[2].work.bytes, half.bytes);
    EXPECT_TRUE(rows[1].check->passed && rows[1].limit);
}

TEST_F(MeasureTest, TheWholeMayBeLeftToItsClocks) {
    planned.whole = WholeRow::omitted;
    planned.clock_rows = {{"pair:0-1", planned.work}};
    const auto rows = measured();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].name.suffix, "pair:0-1");
}

TEST_F(MeasureTest, WhatIsUnavailableBecomesAnErrorRow) {
    planned.make = []() -> std::unique_ptr<Case> { throw Unavailable("there is none here"); };
    const auto rows = measured();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].error, "there is none here");
    EXPECT_EQ(rows[0].name.suffix, "error");
    EXPECT_TRUE(rows[0].runs.empty() && !rows[0].check && !rows[0].limit);
}

TEST_F(MeasureTest, OtherErrorsAreNotHidden) {
    planned.make = []() -> std::unique_ptr<Case> { throw Failure("broken"); };
    EXPECT_THROW(measured(), Failure);
}

TEST_F(MeasureTest, SetUpIsTheTimeThatMakingTook) {
    planned.make = [this] {
        sleep({rank == size - 1 ? 0.02 : 0});
        return std::make_unique<FakeCase>(script);
    };
    EXPECT_GE(measured().front().set_up.value, 0.02) << "the slowest rank's, on every rank";
}

TEST_F(MeasureTest, WritingResultsIsTimedOnTheSlowestRank) {
    script.finish = {rank == size - 1 ? 0.02 : 0.0};
    EXPECT_GE(measured().front().write_results.value, 0.02) << "on every rank";
}

TEST_F(MeasureTest, EachStageOfTheJobHasItsTime) {
    options.runs = {2, 0.05, 1};
    script.run = [](int, Clocks&) { sleep({0.02}); };
    script.verify = [](int) {
        sleep({0.01});
        return Check{true, 0, 0.5};
    };
    script.finish = {0.01};
    Session session = fake_session(options);
    measured(session);
    const StageClock& stages = session.record().stages;
    EXPECT_GE(stages.of(Stage::warm_up).value, 0.02);
    EXPECT_GE(stages.of(Stage::run).value, 0.04);
    EXPECT_GE(stages.of(Stage::verify).value, 0.03);
    EXPECT_GE(stages.of(Stage::write_results).value, 0.01);
    EXPECT_GT(stages.of(Stage::probe).value, 0);
}

// Runs of `time`, alike up to what the machine adds to them, stop after the fewest that have an
// interval.
TEST_F(MeasureTest, AutomaticRunsEndOnceTheMedianIsKnown) {
    options.runs.count = std::nullopt;
    options.runs.interval = 0.99;
    script.run = [&](int, Clocks&) { sleep({0.01}); };

    const auto rows = measured();

    EXPECT_GE(rows.front().runs.size(), 6U);
    EXPECT_LT(rows.front().runs.size(), 200U);
    EXPECT_EQ(rows.front().limit->probes.size(), rows.front().runs.size());
    EXPECT_THAT(progress, Each(testing::Field(&std::pair<int, int>::second, 0)));
}

// Times of whole hours, beside which what the machine adds is nothing.
class FakeClockTest : public MeasureTest {
  protected:
    std::vector<Row> measured_with(const std::vector<double>& hours) {
        script.run = [this, hours](int run, Clocks&) {
            script.earlier.real = {3600 * hours.at(static_cast<std::size_t>(run))};
        };
        return measured();
    }
};

TEST_F(FakeClockTest, AutomaticRunsAreTheFewestThatConverge) {
    options.runs.count = std::nullopt;
    std::vector<double> hours(30, 100);
    EXPECT_THAT(measured_with(hours).front().runs, SizeIs(6)) << "the fewest with an interval";
    hours[2] = 120;
    EXPECT_THAT(measured_with(hours).front().runs, SizeIs(9)) << "which leave out one at each end";
    hours[7] = 130;
    EXPECT_THAT(measured_with(hours).front().runs, SizeIs(12)) << "two";
}

TEST_F(FakeClockTest, ADriftIsFlaggedAndNoiseIsNot) {
    options.runs.count = 8;
    const Row drifted = measured_with({100, 101, 99, 100, 120, 121, 119, 120}).front();
    EXPECT_EQ(drifted.flags.front().kind, FlagKind::drift);
    EXPECT_TRUE(drifted.distrusted());
    EXPECT_THAT(measured_with({100, 120, 99, 121, 101, 119, 100, 120}).front().flags, IsEmpty());
}

TEST_F(FakeClockTest, EachPairIsFlaggedForItself) {
    options.runs.count = 8;
    planned.clock_rows = {{"pair:1-0", planned.work}, {"paper", planned.work}};
    script.run = [](int run, Clocks& clocks) { clocks.record(0, {run < 4 ? 0.0 : 3600.0}); };
    script.earlier.real = {3600};
    const auto rows = measured();
    EXPECT_THAT(rows.at(0).flags, IsEmpty());
    EXPECT_EQ(rows.at(1).flags.front().kind, FlagKind::step);
    EXPECT_THAT(rows.at(2).flags, IsEmpty()) << "it shares the runs of the whole";
}

TEST_F(MeasureTest, AutomaticRunsEndSomewhereAlsoWhereTheTimesNeverConverge) {
    options.runs.count = std::nullopt;
    options.runs.interval = 1e-9;
    script.run = [&](int run, Clocks&) { sleep({run % 2 == 0 ? 0 : 0.0001}); };
    EXPECT_THAT(measured().front().runs, SizeIs(200));
}

}  // namespace
}  // namespace quartet::bench

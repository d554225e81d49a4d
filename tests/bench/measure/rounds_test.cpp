#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <utility>

#include "bench/measure/fake_case.hpp"
#include "bench/measure/groups.hpp"

namespace quartet::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr Seconds hour{3600};

/// Several made-up cases, "0", "1" and so on, whose runs are noted in one text. What a run takes is
/// said in hours, beside which what the machine adds is nothing.
class RoundsTest : public MeasureTest {
  protected:
    using Hours = std::function<double(int run)>;

    void add(const Hours& hours = [](int) { return 1; }) {
        const std::size_t index = scripts.size();
        scripts.push_back(std::make_unique<Script>());
        Script& mine = *scripts.back();
        mine.run = [this, &mine, index, hours](int, Clocks&) {
            ran += std::to_string(index);
            mine.earlier.real = hours(runs[index]++) * hour;
        };
        runs.push_back(0);
        PlannedCase some = a_case();
        some.name.size = std::to_string(index);
        some.make = [this, &mine, index] {
            made += std::to_string(index);
            return std::make_unique<FakeCase>(mine);
        };
        cases.push_back(some);
    }

    std::vector<Row> measured_together() {
        Session session = fake_session(options);
        session.stop_request().take_signals();
        session.plan() = cases;
        const Listener listener{.on_run = [this](std::size_t index, int done, int total) {
            progress.emplace_back(done, total);
            EXPECT_LT(index, cases.size());
        }};
        Measured all = measure(session, listener, machine);
        method = all.method;
        return all.rows;
    }

    [[nodiscard]] std::vector<Group> groups() {
        Session session = fake_session(options);
        session.plan() = cases;
        std::vector<std::size_t> all(cases.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        return groups_of(session, all);
    }

    // Each reading is an hour after the one before, of which others took `always` of the cores and
    // in the one after disturb_once() half.
    void watch_a_machine(double always) {
        options.threads = 1;
        const int cores = std::min(size, fake_session(options).topology().resources().cores);
        machine.counters = [this, always, cores](std::span<const int>) {
            const double others = std::exchange(once, 0) + always;
            counters.time = counters.time + hour;
            counters.busy = counters.busy.value_or(Seconds{}) + others * cores * hour;
            return counters;
        };
    }
    void disturb_once() { once = 0.5; }

    std::vector<std::unique_ptr<Script>> scripts;
    std::vector<int> runs;
    std::vector<PlannedCase> cases;
    std::string ran;
    std::string made;
    Method method;
    double once = 0;
};

TEST_F(RoundsTest, ABudgetLeavesRoundsOutButNotTheFirst) {
    add();
    add();
    scripts[0]->verify = [](int) {  // the check counts as well
        sleep({0.03});
        return Check{true, 0, 0.5};
    };
    options.remeasure = Switch::off;
    options.runs = {20, 0.05, 0};
    options.budget = Seconds{0.1};
    for (const Row& row : measured_together()) {
        EXPECT_THAT(row.runs, SizeIs(testing::AllOf(testing::Ge(1U), testing::Le(3U))));
    }
    options.budget = Seconds{1e-9};
    ran.clear();
    measured_together();
    EXPECT_EQ(ran, "01");
    EXPECT_EQ(method.rounds, 1);
    EXPECT_FALSE(method.stopped);
}

TEST_F(RoundsTest, NothingIsMeasuredAnewBeyondTheBudget) {
    add();
    scripts[0]->verify = [](int) {
        sleep({0.03});
        return Check{true, 0, 0.5};
    };
    watch_a_machine(0.5);
    options.budget = Seconds{0.05};
    EXPECT_EQ(measured_together().front().measured_again, 0);
    EXPECT_EQ(made, "0");
}

TEST_F(RoundsTest, HaveOneRunOfEachCaseAndEveryOtherGoesBackwards) {
    add();
    add();
    add();
    const auto rows = measured_together();
    EXPECT_EQ(ran, "012210012");
    EXPECT_EQ(made, "012") << "all are in memory together";
    ASSERT_THAT(rows, SizeIs(3));
    for (std::size_t index = 0; index < rows.size(); ++index) {
        EXPECT_EQ(rows[index].name.size, std::to_string(index)) << "in the plan's order";
        EXPECT_THAT(rows[index].runs, SizeIs(3));
        EXPECT_EQ(rows[index].runs.back().round, 2);
    }
    EXPECT_EQ(method.groups, 1);
    EXPECT_EQ(method.rounds, 3);
}

TEST_F(RoundsTest, KeepCompleteRunsWhereOneRankIsAskedToStop) {
    // In the first run of the second round, which goes backwards, the last rank is asked to stop.
    for (int index = 0; index < 3; ++index) {
        add();
    }
    cases[2].uses_files = true;  // begins after the others
    scripts[1]->run = [this](int run, Clocks&) {
        ran += '1';
        scripts[1]->earlier.real = hour;
        if (run == 1 && rank == size - 1) {
            std::raise(SIGTERM);
        }
    };
    const auto rows = measured_together();
    EXPECT_EQ(ran, "011");
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_THAT(rows[0].runs, SizeIs(1));
    EXPECT_THAT(rows[1].runs, SizeIs(2));
    EXPECT_EQ(rows[2].error, "stopped on request before its first run");
    EXPECT_EQ(made, "01") << "what is left out is not made";
    EXPECT_TRUE(method.stopped);
}

TEST_F(RoundsTest, StopBeforeTheFirstRunUnlessTheCaseCanSaveACheckpoint) {
    for (const Repetition repetition : {Repetition::once, Repetition::as_asked}) {
        cases.clear();
        ran.clear();
        add();
        cases[0].repetition = repetition;
        cases[0].make = [make = cases[0].make] {
            std::raise(SIGTERM);
            return make();
        };
        const auto rows = measured_together();
        EXPECT_EQ(rows[0].error.empty(), repetition == Repetition::once);
        EXPECT_EQ(ran.empty(), repetition == Repetition::as_asked);
    }
}

TEST_F(RoundsTest, AreNotStoppedByASignalAfterTheLastRun) {
    add();
    scripts[0]->run = [this](int run, Clocks&) {
        scripts[0]->earlier.real = hour;
        if (run + 1 == options.runs.count) {
            std::raise(SIGTERM);
        }
    };
    EXPECT_THAT(measured_together().front().runs, SizeIs(3));
    EXPECT_FALSE(method.stopped);
}

TEST_F(RoundsTest, LeaveOutACaseThatUsesFilesOrRunsOnce) {
    for (int index = 0; index < 4; ++index) {
        add();
    }
    cases[1].uses_files = true;
    cases[2].repetition = Repetition::once;
    const auto rows = measured_together();
    EXPECT_EQ(ran, "0001112333");
    EXPECT_EQ(rows[0].alone_because, "");
    EXPECT_NE(rows[1].alone_because, "");
    EXPECT_NE(rows[2].alone_because, "");
    EXPECT_EQ(method.groups, 4);
}

TEST_F(RoundsTest, AreOfAsManyCasesAsMemoryHolds) {
    for (int index = 0; index < 5; ++index) {
        add();
        cases.back().memory = gibibytes(1);
    }
    options.memory = gibibytes(2);
    EXPECT_THAT(groups(), ElementsAre(Group{0, 1}, Group{2, 3}, Group{4}));
    cases[1].memory = gibibytes(3);
    EXPECT_THAT(groups(), ElementsAre(Group{0}, Group{1}, Group{2, 3}, Group{4}))
        << "one that is too large for any company is alone";
    options.memory.reset();
    for (PlannedCase& one : cases) {
        one.memory = gibibytes(1 << 20);
    }
    EXPECT_THAT(groups(), SizeIs(5)) << "half of what the node has";
    EXPECT_EQ((options.runs.count = 1, ran = "", measured_together(), ran), "01234");
}

TEST_F(RoundsTest, ARunThatTheMachineDisturbedIsRepeated) {
    watch_a_machine(0);
    options.runs = {4, 0.05, 0};
    add([this](int run) {
        if (run == 1) {
            disturb_once();
        }
        return run == 1 ? 9 : 1;
    });
    const Row row = measured_together().front();
    EXPECT_THAT(row.runs, SizeIs(4));
    EXPECT_THAT(row.replaced, SizeIs(1));
    EXPECT_NEAR(row.replaced.front().real.value, 9 * hour.value, 60);
    EXPECT_THAT(row.replaced.front().disturbed_by, ElementsAre(Cause::others));
    EXPECT_THAT(row.runs, Each(testing::Field(&bench::Run::disturbed_by, IsEmpty())));
    EXPECT_FALSE(row.distrusted());
}

TEST_F(RoundsTest, ARunIsNotReplacedForItsTimeAlone) {
    watch_a_machine(0);
    options.runs.count = 4;
    add([](int run) { return run == 1 ? 9 : 1; });
    const Row row = measured_together().front();
    EXPECT_EQ(row.runs[1].real.value > 8 * hour.value, true);
    EXPECT_THAT(row.replaced, IsEmpty());
}

TEST_F(RoundsTest, WhatStaysDisturbedStaysFlagged) {
    watch_a_machine(0.5);
    options.runs.count = 4;
    add();
    const Row row = measured_together().front();
    EXPECT_THAT(row.runs, SizeIs(4));
    EXPECT_TRUE(row.distrusted());
    EXPECT_EQ(row.flags.front().kind, FlagKind::disturbed);
    EXPECT_THAT(row.flags.front().text, StartsWith("other processes ran for 50%"));
}

TEST_F(RoundsTest, WithoutRemeasureNothingIsRepeated) {
    watch_a_machine(0.5);
    options.remeasure = Switch::off;
    add();
    const Row row = measured_together().front();
    EXPECT_EQ(ran, "000");
    EXPECT_TRUE(row.distrusted());
}

TEST_F(RoundsTest, ACaseWhoseSpeedChangedIsMeasuredAnew) {
    options.runs.count = 8;
    add();
    add([](int run) { return run >= 3 && run < 8 ? 5 : 1; });
    script.calls.clear();
    const auto rows = measured_together();
    EXPECT_EQ(made, "011");
    EXPECT_THAT(rows[1].runs, SizeIs(8));
    EXPECT_THAT(rows[1].replaced, SizeIs(8));
    EXPECT_EQ(rows[1].measured_again, 1);
    EXPECT_FALSE(rows[1].distrusted());
    EXPECT_EQ(rows[0].measured_again, 0);
    EXPECT_THAT(rows[0].replaced, IsEmpty());
}

TEST_F(RoundsTest, ACaseIsMeasuredAnewOnlyOnce) {
    options.runs.count = 8;
    add([](int run) { return run % 8 >= 3 ? 5 : 1; });
    const Row row = measured_together().front();
    EXPECT_EQ(made, "00");
    EXPECT_TRUE(row.distrusted());
    EXPECT_EQ(row.flags.front().kind, FlagKind::step);
}

TEST_F(RoundsTest, AnUnavailableCaseIsAnErrorRowAmongTheOthers) {
    add();
    add();
    cases[0].make = []() -> std::unique_ptr<Case> { throw Unavailable("there is none here"); };
    const auto rows = measured_together();
    EXPECT_EQ(rows[0].error, "there is none here");
    EXPECT_EQ(ran, "111");
}

TEST_F(RoundsTest, RowsSoFarAreToldAfterEachRun) {
    options.runs.count = 2;
    add();
    add();
    Session session = fake_session(options);
    session.plan() = cases;
    std::vector<std::size_t> told;
    const Listener listener{.on_rows = [&](const auto& rows_so_far) {
        if (rank > 0) {
            return;  // who writes asks alone
        }
        std::size_t count = 0;
        for (const Row& row : rows_so_far()) {
            count += row.runs.size();
        }
        told.push_back(count);
    }};
    measure(session, listener, machine);
    if (rank == 0) {
        EXPECT_THAT(told, ElementsAre(1, 2, 3, 4, 4)) << "and at the end";
    }
}

TEST_F(RoundsTest, RepeatADisturbedCaseAtMostTwiceAsOftenAsWasAsked) {
    watch_a_machine(0.5);
    options.runs.count = 2;
    add();
    measured_together();
    EXPECT_EQ(ran.substr(0, 6), "000000");
    EXPECT_LE(ran.size(), 12U) << "six, and six when it is measured anew";
}

}  // namespace
}  // namespace quartet::bench

#include "bench/measure/measure.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include "bench/fake_session.hpp"
#include "bench/program/plan.hpp"

namespace quartet::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

void sleep(Seconds time) {
    std::this_thread::sleep_for(std::chrono::duration<double>(time.value));
}

/// What a made-up case does, and what was done with it.
struct Script {
    std::function<void(int run)> run = [](int) {};
    std::function<Seconds(int run)> paper = [](int) { return Seconds{}; };
    std::function<Check(int run)> verify = [](int) { return Check{true, 0, 0.5}; };
    std::vector<double> limits{1};  ///< by probe, the last one again and again
    std::string calls;  ///< s(et up), p(repare), r(un), v(erify), l(imit), c(lock probe)
    std::optional<int> stopped_run;
    EarlierTime earlier;
};

class FakeCase final : public Case {
  public:
    explicit FakeCase(Script& script) : script_(script) {}

    void prepare() override {
        script_.calls += 'p';
        ++run_;
    }
    void run() override {
        script_.calls += 'r';
        script_.run(run_);
    }
    [[nodiscard]] Seconds paper_time() const override { return script_.paper(run_); }
    Check verify() override {
        script_.calls += 'v';
        return script_.verify(run_);
    }
    [[nodiscard]] std::optional<std::string> stopped() const override {
        return run_ == script_.stopped_run ? std::optional("stopped here") : std::nullopt;
    }
    [[nodiscard]] EarlierTime earlier() const override { return script_.earlier; }
    void set_up() override { script_.calls += 's'; }
    void prepare_limit(device::Arena& /*arena*/) override {}
    std::vector<LimitComponent> limit() override {
        script_.calls += 'l';
        return {{"made up", {script_.limits[std::min(probe_++, script_.limits.size() - 1)]}}};
    }
    [[nodiscard]] std::string note() const override { return "noted"; }
    [[nodiscard]] Details details() const override {
        comm::Communicator::world().barrier();  // as that of some kernels, it is collective
        return {};
    }

  private:
    Script& script_;
    int run_ = -1;  ///< the warm-up is the first
    std::size_t probe_ = 0;
};

/// Made-up cases "0", "1" and so on, of which most tests have one.
class MeasureTest : public testing::Test {
  protected:
    MeasureTest() {
        options.runs = {3, 0.05, 0};
        add();
    }

    void add() {
        const std::size_t index = scripts.size();
        scripts.push_back(std::make_unique<Script>());
        PlannedCase some;
        some.name.kernel = "kernel";
        some.name.variant = {Formulation::native, "host", "mpi"};
        some.name.size = std::to_string(index);
        some.work.bytes = mebibytes(1);
        some.make = [this, index](const device::Arena& arena) {
            made += arena.plans() ? "" : std::to_string(index);
            return std::make_unique<FakeCase>(*scripts[index]);
        };
        cases.push_back(some);
    }
    /// The cases note their runs in `ran`.
    void note_runs() {
        for (std::size_t index = 0; index < scripts.size(); ++index) {
            scripts[index]->run = [this, index](int) { ran += std::to_string(index); };
        }
    }
    std::vector<Row> measured() {
        Session session = fake_session(options);
        session.stop_request().take_signals();
        session.plan() = cases;
        find_needs(session);
        const Listener listener{.on_run = [this](std::size_t, int done,
                                                 int total) { progress.emplace_back(done, total); },
                                .on_rows =
                                    [this](const auto& rows_so_far) {
                                        first_rows =
                                            first_rows.empty() ? rows_so_far() : first_rows;
                                    }};
        Measured all = measure(session, listener, machine);
        is_stopped = all.stopped;
        rounds = all.rounds;
        return all.rows;
    }
    Row only_row() { return measured().front(); }
    /// Runs that take whole hours, beside which what the machine adds is nothing.
    Row row_of(const std::vector<double>& hours) {
        script().run = [this, hours](int run) {
            script().earlier.real = {3600 * hours.at(static_cast<std::size_t>(run))};
        };
        return only_row();
    }

    Script& script() { return *scripts.front(); }
    PlannedCase& planned() { return cases.front(); }

    std::vector<std::unique_ptr<Script>> scripts;
    std::vector<PlannedCase> cases;
    // A machine on which nothing else goes on, and that tells nothing of steal.
    MachineProbes machine{[this](std::span<const int>) { return counters; },
                          [this](int threads) {
                              script().calls += 'c';
                              return Seconds{1e-4 * (threads + rank)};
                          }};
    MachineCounters counters;
    std::size_t reads = 0;  ///< of counters
    CommonOptions options;
    std::vector<std::pair<int, int>> progress;
    std::vector<Row> first_rows;  ///< after the first run
    std::string ran;
    std::string made;
    bool is_stopped = false;
    int rounds = 0;
    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

TEST_F(MeasureTest, ProbesTheLimitRightBeforeEachRun) {
    options.threads = 3;
    script().limits = {9, 1, 2, 5};
    const auto rows = measured();
    EXPECT_EQ(script().calls, "slprcvlprcvlprcv");
    EXPECT_THAT(progress, ElementsAre(std::pair(0, 3), std::pair(1, 3), std::pair(2, 3)));
    ASSERT_THAT(rows, SizeIs(1));
    ASSERT_THAT(rows[0].runs, SizeIs(3));
    EXPECT_EQ(rows[0].note, "noted");
    EXPECT_EQ(rows[0].name.text(), planned().name.text());
    EXPECT_EQ(rows[0].limit->seconds.value, 2) << "the median of the probes";
    EXPECT_EQ(rows[0].runs[1].limit_seconds, 1);
    EXPECT_DOUBLE_EQ(rows[0].runs[0].conditions.clock_probe_seconds.value(), 1e-4 * (3 + size - 1))
        << "the slowest rank's";
}

TEST_F(MeasureTest, AStoppedCaseIsAnErrorRowAndIsNotVerified) {
    script().stopped_run = 1;
    const Row row = only_row();
    EXPECT_EQ(script().calls, "slprcvlprc");
    EXPECT_EQ(row.error, "stopped here");
    EXPECT_EQ(row.error_code, ExitCode::stopped);
    EXPECT_EQ(row.name.suffix, "error");
    EXPECT_THAT(row.runs, IsEmpty());
}

TEST_F(MeasureTest, WarmsUpOutsideOfTheMeasurement) {
    options.runs.warmup = 2;
    options.limits = Switch::off;
    planned().has_paper_time = true;
    script().paper = [](int run) { return Seconds{1.0 * run}; };
    const auto rows = measured();
    EXPECT_EQ(script().calls, "sprvprvprvprvprv") << "neither limits nor the clock's";
    EXPECT_FALSE(rows[0].limit);
    EXPECT_EQ(rows[1].time.minimum, 2);
    EXPECT_EQ(rows[1].time.maximum, 4);
}

TEST_F(MeasureTest, TheTimeIsTheSlowestRanks) {
    script().run = [&](int) { sleep({0.02 * (size - rank)}); };
    for (const bench::Run& run : only_row().runs) {
        ASSERT_THAT(run.rank_seconds, SizeIs(static_cast<std::size_t>(size)));
        for (int r = 0; r < size; ++r) {
            EXPECT_GE(run.rank_seconds[static_cast<std::size_t>(r)], 0.02 * (size - r));
        }
        EXPECT_EQ(run.real.value, std::ranges::max(run.rank_seconds)) << "on every rank";
    }
}

TEST_F(MeasureTest, TheProcessorsTimeIsNotTheClocks) {
    script().run = [&](int) { sleep({0.02}); };
    const auto slept = [](const bench::Run& run) { return run.cpu.value < run.real.value / 2; };
    int tries = 20;  // since a library's thread may spin for a while, most often at the beginning
    while (!std::ranges::any_of(only_row().runs, slept)) {
        ASSERT_GT(--tries, 0) << "twenty times three runs that only sleep used a processor";
    }
}

TEST_F(MeasureTest, OneWrongRunMakesTheRowWrong) {
    script().verify = [](int run) {
        return run == 1 ? Check{false, 17, 0.5} : Check{true, 0.25, 0.5};
    };
    const Row row = only_row();
    EXPECT_FALSE(row.check->passed);
    EXPECT_EQ(row.check->error, 17);
    EXPECT_EQ(row.check->tolerance, 0.5);

    options.runs.warmup = 1;
    script().verify = [](int run) { return Check{run > 0, 0, 0}; };
    EXPECT_FALSE(only_row().check->passed) << "a wrong warm-up, too";
}

TEST_F(MeasureTest, TheWorstErrorIsReported) {
    script().verify = [](int run) { return Check{true, run == 1 ? 0.25 : 0.125, 0.5}; };
    EXPECT_EQ(only_row().check->error, 0.25);
    script().verify = [](int run) { return Check{false, run == 0 ? 99.0 : 1.0, 0.5}; };
    EXPECT_EQ(only_row().check->error, 99) << "of wrong runs, too";
    script().verify = [](int run) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        return Check{run != 1, run == 1 ? nan : 0.25, 0.5};
    };
    EXPECT_TRUE(std::isnan(only_row().check->error)) << "nothing is worse than NaN";
}

TEST_F(MeasureTest, ThePapersTimeIsARowOfItsOwn) {
    planned().has_paper_time = true;
    script().paper = [&](int run) { return Seconds{rank == size - 1 ? run + 1.0 : 0}; };
    const auto rows = measured();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name.suffix, "");
    EXPECT_EQ(rows[1].name.suffix, "paper");
    EXPECT_EQ(rows[1].time.median, 2) << "on every rank";
    EXPECT_EQ(rows[1].work.bytes, planned().work.bytes);
    EXPECT_TRUE(rows[1].check->passed && rows[1].limit);
}

TEST_F(MeasureTest, WhatIsUnavailableBecomesAnErrorRowAmongTheOthers) {
    add();
    note_runs();
    planned().make = [](auto&) -> std::unique_ptr<Case> {
        throw Unavailable("there is none here");
    };
    const auto rows = measured();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].error, "there is none here");
    EXPECT_EQ(rows[0].name.suffix, "error");
    EXPECT_TRUE(rows[0].runs.empty() && !rows[0].check && !rows[0].limit);
    EXPECT_EQ(ran, "111");
    planned().make = [this](const device::Arena& arena) -> std::unique_ptr<Case> {
        if (arena.plans()) {
            return std::make_unique<FakeCase>(script());
        }
        throw Failure("broken");
    };
    EXPECT_THROW(measured(), Failure) << "other errors are not hidden";
    planned().make = [this](device::Arena& arena) -> std::unique_ptr<Case> {
        arena.reserve({arena.plans() ? 1 : 2});
        return std::make_unique<FakeCase>(script());
    };
    EXPECT_THROW(measured(), Failure) << "memory that was not planned";
}

TEST_F(MeasureTest, AutomaticRunsAreTheFewestThatConverge) {
    options.runs.count = std::nullopt;
    std::vector<double> hours(30, 100);
    EXPECT_THAT(row_of(hours).runs, SizeIs(6)) << "the fewest with an interval";
    EXPECT_THAT(progress, Each(testing::Field(&std::pair<int, int>::second, 0)));
    hours[2] = 120;
    EXPECT_THAT(row_of(hours).runs, SizeIs(9)) << "which leave out one at each end";
    hours[7] = 130;
    EXPECT_THAT(row_of(hours).runs, SizeIs(12)) << "two";
    options.runs.interval = 1e-12;
    script().run = [&](int run) { script().earlier.real = {3600.0 + run % 2}; };
    EXPECT_THAT(only_row().runs, SizeIs(200)) << "they end somewhere";
}

TEST_F(MeasureTest, ARoundHasOneRunOfEachCaseAndEveryOtherGoesBackwards) {
    add();
    add();
    note_runs();
    const auto rows = measured();
    EXPECT_EQ(ran, "012210012");
    EXPECT_EQ(made, "012") << "all are in memory together";
    ASSERT_THAT(rows, SizeIs(3));
    for (std::size_t index = 0; index < rows.size(); ++index) {
        EXPECT_EQ(rows[index].name.size, std::to_string(index)) << "in the plan's order";
        EXPECT_THAT(rows[index].runs, SizeIs(3));
        EXPECT_EQ(rows[index].runs.back().round, 2);
    }
    EXPECT_EQ(rounds, 3);
}

TEST_F(MeasureTest, RowsOfAJobUnderWayNameTheCasesWithoutARun) {
    add();
    measured();
    ASSERT_THAT(first_rows, SizeIs(2));
    EXPECT_THAT(first_rows[0].runs, SizeIs(1));
    EXPECT_EQ(first_rows[1].error, "the job ended before a run of it was kept");
}

TEST_F(MeasureTest, AShortRunIsInDoubtWhereOthersRanDuringTheJob) {
    options.runs.count = 1;
    options.limits = Switch::off;
    machine.counters = [this](std::span<const int>) {
        // Each rank reads four times: before the job, before and after its run, after the job.
        constexpr double seconds[] = {0, 5, 5.001, 10};
        const double time = seconds[reads++];
        return MachineCounters{.time = {time}, .stolen = {}, .busy = Seconds{time}, .cpu = {}};
    };
    const Row row = only_row();
    EXPECT_EQ(row.mark(), "?");
    ASSERT_THAT(row.flags, SizeIs(1));
    EXPECT_EQ(row.flags.front().kind, FlagKind::disturbed);
}

TEST_F(MeasureTest, ACaseThatUsesFilesOrRunsOnceIsAlone) {
    add();
    add();
    add();
    note_runs();
    cases[1].repetition = Repetition::alone;
    cases[2].repetition = Repetition::once;
    measured();
    EXPECT_EQ(ran, "0001112333");
}

TEST_F(MeasureTest, KeepsCompleteRunsWhereOneRankIsAskedToStop) {
    // In the first run of the second round, which goes backwards, the last rank is asked to stop.
    add();
    add();
    note_runs();
    cases[2].repetition = Repetition::alone;  // begins after the others
    scripts[1]->run = [this](int run) {
        ran += '1';
        if (run == 1 && rank == size - 1) {
            std::raise(SIGTERM);
        }
    };
    const auto rows = measured();
    EXPECT_EQ(ran, "011");
    ASSERT_THAT(rows, SizeIs(3));
    EXPECT_THAT(rows[0].runs, SizeIs(1));
    EXPECT_THAT(rows[1].runs, SizeIs(2));
    EXPECT_EQ(rows[2].error, "stopped on request before its first run");
    EXPECT_EQ(made, "01") << "what is left out is not made";
    EXPECT_TRUE(is_stopped);
}

TEST_F(MeasureTest, StopsBeforeTheFirstRunUnlessTheCaseCanSaveACheckpoint) {
    planned().make = [make = planned().make](device::Arena& arena) {
        if (!arena.plans()) {
            std::raise(SIGTERM);
        }
        return make(arena);
    };
    EXPECT_NE(only_row().error, "");
    EXPECT_EQ(script().calls, "s");
    planned().repetition = Repetition::once;
    EXPECT_EQ(only_row().error, "");
    EXPECT_THAT(script().calls, testing::HasSubstr("r"));
}

TEST_F(MeasureTest, IsNotStoppedByASignalAfterTheLastRun) {
    script().run = [this](int run) {
        if (run + 1 == options.runs.count) {
            std::raise(SIGTERM);
        }
    };
    EXPECT_THAT(only_row().runs, SizeIs(3));
    EXPECT_FALSE(is_stopped);
}

}  // namespace
}  // namespace quartet::bench

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <vector>

#include "bench/fake_session.hpp"
#include "bench/measured.hpp"
#include "comm/mpi/mpi_session.hpp"

namespace quartet::bench {
namespace {

// What measuring adds to a run, and what is paid for a transport's being chosen at run time. On one
// rank, or on several: launch.sh 2 overhead_benchmark.

class EmptyCase final : public Case {
  public:
    void prepare() override {}
    void run(Clocks&) override {}
    Check verify() override { return {true, 0, 1}; }
    void prepare_limit() override {}
    std::vector<LimitComponent> limit() override { return {{"none", {1}}}; }
};

CommonOptions quiet_options(int runs) {
    CommonOptions options;
    options.runs = {runs, 0.05, 1};
    options.limits = Switch::off;
    return options;
}

// The time that a run has where nothing is done in it: two readings of the clock, and a barrier's
// end. The slowest rank's, median of 1000.
void empty_measured_step(benchmark::State& state) {
    constexpr int runs = 1000;
    Session session = fake_session(quiet_options(runs));
    PlannedCase planned;
    planned.name.kernel = "empty";
    planned.make = [] { return std::make_unique<EmptyCase>(); };
    for (auto _ : state) {
        const auto rows = measure(session, planned, [](int, int) {});
        std::vector<double> times;
        for (const Run& run : rows.front().runs)
            times.push_back(run.real.value);
        std::ranges::nth_element(times, times.begin() + runs / 2);
        state.SetIterationTime(times[runs / 2]);
    }
}

// A push of nothing: the call alone.
void virtual_transport_call(benchmark::State& state) {
    Session session = fake_session(quiet_options(1));
    comm::Transport& transport = session.transport("mpi");
    const auto push = transport.prepare_push({{}, 0, {}, {}});
    for (auto _ : state)
        push->run(0, session.stream());
}

// Two numbers over all ranks in rank order, as an iteration of cg sums them.
void ordered_sum(benchmark::State& state, const char* transport) {
    Session session = fake_session(quiet_options(1));
    const comm::Communicator world = comm::Communicator::world();
    const auto sum = session.transport(transport).prepare_ordered_sum(world, 2);
    std::array<double, 2> values{1, 0};
    for (auto _ : state) {
        sum->run(values);
        values.front() = 1;
    }
}

// Every rank takes part in each, as often as the others.
BENCHMARK(empty_measured_step)->UseManualTime()->Iterations(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(virtual_transport_call)->Iterations(10'000'000);
BENCHMARK_CAPTURE(ordered_sum, mpi, "mpi")->Iterations(100'000);
BENCHMARK_CAPTURE(ordered_sum, shm, "shm")->Iterations(100'000);

/// Of the ranks that are not to report.
class Silence final : public benchmark::BenchmarkReporter {
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace
}  // namespace quartet::bench

int main(int argc, char** argv) {
    const quartet::comm::MpiSession mpi(argc, argv);
    benchmark::Initialize(&argc, argv);
    quartet::bench::Silence silence;
    const bool reports = quartet::comm::Communicator::world().rank() == 0;
    benchmark::RunSpecifiedBenchmarks(reports ? benchmark::CreateDefaultDisplayReporter()
                                              : &silence);
}

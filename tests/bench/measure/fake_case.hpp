#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/fake_session.hpp"
#include "bench/measured.hpp"

namespace quartet::bench {

inline void sleep(Seconds time) {
    std::this_thread::sleep_for(std::chrono::duration<double>(time.value));
}

/// What a made-up case does, and what was done with it.
struct Script {
    std::function<void(int run, Clocks& clocks)> run = [](int, Clocks&) {};
    std::function<Check(int run)> verify = [](int) { return Check{true, 0, 0.5}; };
    std::vector<double> limits{1};  ///< by probe, the last one again and again
    std::string calls;              ///< p(repare), r(un), v(erify), l(imit)
    std::optional<int> stopped_run;
    EarlierTime earlier;
    Seconds finish{0};  ///< for which its end sleeps
};

class FakeCase final : public Case {
  public:
    explicit FakeCase(Script& script) : script_(script) {}

    void prepare() override {
        script_.calls += 'p';
        ++run_;
    }
    void run(Clocks& clocks) override {
        script_.calls += 'r';
        script_.run(run_, clocks);
    }
    Check verify() override {
        script_.calls += 'v';
        return script_.verify(run_);
    }
    [[nodiscard]] std::optional<std::string> stopped() const override {
        return run_ == script_.stopped_run ? std::optional("stopped here") : std::nullopt;
    }
    [[nodiscard]] EarlierTime earlier() const override { return script_.earlier; }
    void prepare_limit() override {}
    void finish() override { sleep(script_.finish); }
    std::vector<LimitComponent> limit() override {
        script_.calls += 'l';
        const double seconds = script_.limits[std::min(probe_++, script_.limits.size() - 1)];
        return {{"made up", {seconds}}};
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

class MeasureTest : public testing::Test {
  protected:
    MeasureTest() { options.runs = {3, 0.05, 0}; }

    std::vector<Row> measured() {
        Session session = fake_session(options);
        return measured(session);
    }

    std::vector<Row> measured(Session& session) {
        return measure(
            session, planned, [this](int done, int total) { progress.emplace_back(done, total); },
            machine);
    }

    PlannedCase a_case() {
        PlannedCase some;
        some.name.kernel = "kernel";
        some.name.variant = {Formulation::native, "host", "mpi"};
        some.work.bytes = mebibytes(1);
        some.make = [this] { return std::make_unique<FakeCase>(script); };
        return some;
    }

    Script script;
    // A machine on which nothing else goes on, and that tells nothing of steal.
    MachineProbes machine{[this](std::span<const int>) { return counters; },
                          [](std::span<const int>) { return std::nullopt; },
                          [](int) { return Seconds{1e-4}; }};
    MachineCounters counters;
    CommonOptions options;
    PlannedCase planned = a_case();
    std::vector<std::pair<int, int>> progress;
    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

}  // namespace quartet::bench

#include "bench/measure/measure.hpp"

#include <algorithm>
#include <cmath>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/drift.hpp"
#include "bench/measure/samples.hpp"
#include "system/clock_probe.hpp"
#include "system/steal_time.hpp"

namespace quartet::bench {

namespace {

constexpr int fewest_automatic_runs = 6;  // fewer have no 95% interval
constexpr int most_automatic_runs = 200;

/// The measurement of one case.
class Measurement {
  public:
    Measurement(Session& session, Case& subject, const PlannedCase& planned,
                const MachineProbes& machine)
        : session_(session),
          subject_(subject),
          planned_(planned),
          machine_(machine),
          wanted_(runs_of(planned, session.options().runs)) {
        if (session.options().verify == Switch::on) {
            check_ = Check{.passed = true};
        }
    }

    void warm_up();
    /// Ends early where the case was stopped.
    void run_all(const OnRun& on_run);
    std::vector<Row> rows(Seconds set_up) const;

  private:
    Run run_once();
    [[nodiscard]] std::optional<double> most_steal(std::optional<Seconds> before,
                                                   std::optional<Seconds> after,
                                                   Seconds real) const;
    [[nodiscard]] double slowest_clock_probe() const;
    Run slowest(Seconds real, Seconds cpu, const PhaseSeconds& phases, const Clocks& clocks) const;
    void add_earlier(Run& run) const;
    void verify();
    void probe();
    [[nodiscard]] bool enough() const;

    Session& session_;
    Case& subject_;
    const PlannedCase& planned_;
    const MachineProbes& machine_;
    Runs wanted_;
    std::vector<Run> runs_;
    std::vector<std::vector<LimitComponent>> probes_;
    std::optional<Check> check_;
};

void Measurement::warm_up() {
    for (int run = 0; run < wanted_.warmup; ++run) {
        run_once();
    }
}

void Measurement::run_all(const OnRun& on_run) {
    do {
        on_run(static_cast<int>(runs_.size()), wanted_.count.value_or(0));
        probe();
        runs_.push_back(run_once());
        if (subject_.stopped()) {
            return;
        }
    } while (!enough());
    probe();
}

bool Measurement::enough() const {
    const int done = static_cast<int>(runs_.size());
    if (wanted_.count) {
        return done >= *wanted_.count;
    }
    if (done < fewest_automatic_runs) {
        return false;
    }
    // All ranks have the same times, and so decide alike.
    return done >= most_automatic_runs || converged(times(runs_), wanted_.interval);
}

Run Measurement::run_once() {
    const comm::Communicator& world = session_.world();
    Clocks clocks(planned_.clock_rows.size());
    subject_.prepare();
    session_.stream().synchronize();
    session_.trace().reset_busy();
    world.barrier();
    const auto steal_before = machine_.steal_time(session_.topology().mine().cpus);
    world.barrier();
    const Seconds cpu_begin = process_cpu_time();
    const Seconds begin = now();
    subject_.run(clocks);
    session_.stream().synchronize();
    const Seconds real = now() - begin;
    const Seconds cpu = process_cpu_time() - cpu_begin;
    const auto steal_after = machine_.steal_time(session_.topology().mine().cpus);
    Run run = slowest(real, cpu, session_.trace().busy(), clocks);
    run.steal_share = most_steal(steal_before, steal_after, real);
    if (session_.options().limits == Switch::on) {
        run.clock_probe_seconds = slowest_clock_probe();
    }
    session_.trace().note_period(planned_.name.text(), begin, begin + real);
    add_earlier(run);
    if (!subject_.stopped()) {
        verify();
    }
    return run;
}

// The share of the rank that lost most, of those that know theirs.
std::optional<double> Measurement::most_steal(std::optional<Seconds> before,
                                              std::optional<Seconds> after, Seconds real) const {
    const int cores = session_.topology().busy_cores(session_.threads());
    const auto share = steal_share(before, after, cores, real);
    const double most = session_.world().maximum(share.value_or(-1));
    return most < 0 ? std::nullopt : std::optional(most);
}

// All ranks probe at once, since hyperthreads of one core slow each other down.
double Measurement::slowest_clock_probe() const {
    session_.world().barrier();
    return session_.world().maximum(machine_.clock_probe(session_.threads()).value);
}

Run Measurement::slowest(Seconds real, Seconds cpu, const PhaseSeconds& phases,
                         const Clocks& clocks) const {
    const comm::Communicator& world = session_.world();
    Run run;
    run.rank_seconds = world.gather(real.value);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(run.rank_seconds) -
                                               run.rank_seconds.begin());
    run.real = {run.rank_seconds[last]};
    run.cpu = {world.gather(cpu.value)[last]};
    const auto all_phases = world.gather(std::span<const double>(phases));
    std::copy_n(all_phases.begin() + static_cast<std::ptrdiff_t>(last * phase_count), phase_count,
                run.phases.begin());
    for (std::size_t clock = 0; clock < planned_.clock_rows.size(); ++clock) {
        run.clocks.push_back({world.maximum(clocks.time(clock).value)});
    }
    return run;
}

void Measurement::add_earlier(Run& run) const {
    const Spent earlier = subject_.earlier();
    run.real = run.real + earlier.real;
    run.cpu = run.cpu + earlier.cpu;
    for (double& seconds : run.rank_seconds) {
        seconds += earlier.real.value;
    }
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        run.phases[phase] += earlier.phases[phase];
    }
}

// One wrong run makes the row wrong; the worst error stands for all runs.
void Measurement::verify() {
    if (!check_) {
        return;
    }
    const Check check = subject_.verify();
    const bool larger = !std::isnan(check_->error) && !(check.error <= check_->error);
    if (check.passed == check_->passed ? larger : check_->passed) {
        check_->error = check.error;
    }
    check_->passed = check_->passed && check.passed;
    check_->tolerance = check.tolerance;
}

void Measurement::probe() {
    if (session_.options().limits == Switch::on) {
        session_.world().barrier();
        probes_.push_back(subject_.limit());
    }
}

// Adds a drift of the runs to the row's note.
void note_drift(Row& row) {
    if (const auto drifted = drift(row.times())) {
        row.note += (row.note.empty() ? "" : "; ") + describe_drift(*drifted);
    }
}

std::vector<Row> Measurement::rows(Seconds set_up) const {
    Row whole;
    whole.name = planned_.name;
    whole.work = planned_.work;
    whole.runs = runs_;
    whole.check = check_;
    whole.note = subject_.note();
    whole.details = subject_.details();
    whole.set_up = set_up;
    if (!probes_.empty()) {
        whole.limit = limit_of(probes_);
    }
    std::vector<Row> rows;
    if (planned_.whole == WholeRow::reported) {
        rows.push_back(whole);
    }
    for (std::size_t clock = 0; clock < planned_.clock_rows.size(); ++clock) {
        Row row = whole;
        row.name = planned_.name.with_suffix(planned_.clock_rows[clock].name);
        row.work = planned_.clock_rows[clock].work;
        for (Run& run : row.runs) {
            run.real = run.clocks[clock];
        }
        rows.push_back(std::move(row));
    }
    std::ranges::for_each(rows, note_drift);
    return rows;
}

Row error_row(const PlannedCase& planned, const std::string& message,
              ExitCode code = ExitCode::unavailable) {
    Row row;
    row.error_code = code;
    row.name = planned.name.with_suffix("error");
    row.work = planned.work;
    row.error = message;
    return row;
}

}  // namespace

MachineProbes this_machine() {
    return {[](std::span<const int> processors) { return system::steal_time(processors); },
            system::probe_clock};
}

std::vector<Row> measure(Session& session, const PlannedCase& planned, const OnRun& on_run,
                         const MachineProbes& machine) {
    if (planned.refusal) {
        return {error_row(planned, *planned.refusal)};
    }
    const Seconds begin = now();
    std::unique_ptr<Case> subject;
    try {
        subject = planned.make();
    } catch (const Unavailable& reason) {
        return {error_row(planned, reason.what())};
    }
    const Seconds set_up{session.world().maximum((now() - begin).value)};
    if (session.options().limits == Switch::on) {
        subject->prepare_limit();
    }
    Measurement measurement(session, *subject, planned, machine);
    measurement.warm_up();
    measurement.run_all(on_run);
    if (const auto why = subject->stopped()) {
        return {error_row(planned, *why, ExitCode::stopped)};
    }
    subject->finish();
    return measurement.rows(set_up);
}

}  // namespace quartet::bench

#include "bench/measure/case_runs.hpp"

#include <cmath>
#include <utility>

#include "bench/measure/probes.hpp"
#include "bench/measure/run_times.hpp"

namespace quartet::bench {

namespace {

Row error_row(const PlannedCase& planned, const std::string& message,
              ExitCode code = ExitCode::unavailable) {
    Row row;
    row.error_code = code;
    row.name = planned.name.with_suffix("error");
    row.work = planned.work;
    row.error = message;
    return row;
}

std::vector<double> times_of(const Clocks& clocks, const PlannedCase& planned) {
    std::vector<double> times;
    for (std::size_t clock = 0; clock < planned.clock_rows.size(); ++clock) {
        times.push_back(clocks.time(clock).value);
    }
    return times;
}

}  // namespace

CaseRuns::CaseRuns(Session& session, const PlannedCase& planned, Seconds overhead,
                   const MachineProbes& machine)
    : session_(session),
      planned_(planned),
      overhead_(overhead),
      machine_(machine),
      wanted_(runs_of(planned, session.options().runs)),
      series_(wanted_) {
    if (planned.refusal) {
        error_ = error_row(planned, *planned.refusal);
    }
}

// Nothing if another job has taken the space since the case was planned: then it is over.
std::unique_ptr<comm::ReservedSpace> CaseRuns::reserve_windows() {
    const comm::Communicator& world = session_.world();
    const auto kind = session_.registry()
                          .traits(planned_.name.variant.transport)
                          .windows.value_or(comm::WindowKind::shared);
    try {
        return std::make_unique<comm::ReservedSpace>(kind, planned_.shared_memory, world);
    } catch (const Failure& failure) {  // on all ranks
        give_up(failure.what(), ExitCode::failed);
        return nullptr;
    }
}

// Keeps what was measured before.
void CaseRuns::give_up(const std::string& reason, ExitCode code) {
    if (!series_.give_up()) {
        error_ = error_row(planned_, reason, code);
    }
}

void CaseRuns::begin() {
    has_begun_ = true;
    if (error_) {
        return;
    }
    const bool has_windows = session_.world().any(planned_.shared_memory > Bytes{});
    auto reserved = has_windows ? reserve_windows() : nullptr;
    if (has_windows && !reserved) {
        return;
    }
    end_stage(Stage::rest);
    const Seconds begin = now();
    try {
        subject_ = planned_.make();
    } catch (const Unavailable& reason) {
        give_up(reason.what(), ExitCode::unavailable);
        return;
    }
    set_up_ = {session_.world().maximum((now() - begin).value)};
    end_stage(Stage::set_up);
    if (session_.options().limits == Switch::on) {
        subject_->prepare_limit();
        end_stage(Stage::probe);
    }
    reserved.reset();  // all is allocated
    if (!road_) {
        road_.emplace(session_, planned_, machine_);
    }
    road_->watch_others();
    if (!check_ && session_.options().verify == Switch::on) {
        check_ = Check{.passed = true};
    }
    for (int run = 0; run < wanted_.warmup; ++run) {
        timed_run(Stage::warm_up);
    }
}

void CaseRuns::run(int round) {
    const bool has_limit = session_.options().limits == Switch::on;
    Sample sample;
    RunConditions probe_conditions;
    if (has_limit) {
        end_stage(Stage::rest);
        MachineWatch watch(session_, machine_);
        sample.probe = subject_->limit();
        probe_conditions = watch.end();
        end_stage(Stage::probe);
        // The caches have the probe's data now: after a short run's they would be the difference.
        if (wanted_.warmup > 0 && last_run_ < probe_time) {
            timed_run(Stage::warm_up);
        }
    }
    sample.run = timed_run(Stage::run);
    sample.run.round = round;
    if (has_limit) {
        sample.run.probe_conditions = probe_conditions;
        sample.run.limit_seconds = slowest(sample.probe).seconds.value;
    }
    note_ = subject_->note();
    details_ = subject_->details();  // now, since it may be collective and rows() is not
    nodes_of_road_ = road_->nodes();
    series_.add(std::move(sample));
    if (has_limit && planned_.repetition == Repetition::once) {
        session_.world().barrier();
        last_probe_ = subject_->limit();
        end_stage(Stage::probe);
    }
    if (const auto why = subject_->stopped()) {
        error_ = error_row(planned_, *why, ExitCode::stopped);
    }
}

void CaseRuns::leave_out() {
    if (!series_.has_any() && !error_) {
        error_ = error_row(planned_, "stopped on request before its first run");
    }
}

void CaseRuns::end() {
    has_begun_ = false;
    series_.end();
    if (!subject_) {
        return;
    }
    end_stage(Stage::rest);
    const Seconds begin = now();
    if (!error_) {
        subject_->finish();
    }
    note_ = subject_->note();
    details_ = subject_->details();
    subject_.reset();
    write_results_ = {session_.world().maximum((now() - begin).value)};
    end_stage(Stage::write_results);
}

Run CaseRuns::timed_run(Stage stage) {
    Clocks clocks(planned_.clock_rows.size());
    subject_->prepare();
    session_.stream().synchronize();
    session_.trace().reset_busy();
    if (stage == Stage::run) {
        road_->begin();
    }
    MachineWatch watch(session_, machine_);
    end_stage(Stage::rest);
    const Seconds cpu_begin = process_cpu_time();
    const Seconds begin = now();
    subject_->run(clocks);
    session_.stream().synchronize();
    const Seconds real = now() - begin;
    const RankTimes mine{real, process_cpu_time() - cpu_begin, session_.trace().busy()};
    end_stage(stage);
    Run run;
    run.conditions = watch.end();
    if (stage == Stage::run) {
        road_->end(watch);
    }
    if (session_.registry().traits(planned_.name.variant.transport).progress_threads ==
        comm::ProgressThreads::of_library) {
        run.conditions.oversubscribed = true;
    }
    const comm::Communicator& world = session_.world();
    set_slowest(run, session_, planned_.roles.value_or(comm::Roles::all_workers(world.size())),
                mine, times_of(clocks, planned_));
    last_run_ = run.real;
    // Cores that only wait for a GPU have a low clock, which costs it nothing.
    const bool cores_compute = !device::has_own_memory(session_.device()) ||
                               planned_.name.variant.formulation == Formulation::dataflow;
    if (session_.options().limits == Switch::on && cores_compute) {
        run.conditions.clock_probe_seconds = slowest_clock_probe(session_, machine_);
    }
    session_.trace().note_period(planned_.name.text(), begin, begin + real);
    if (subject_->earlier().real > Seconds{}) {
        run.conditions.energy_joules.reset();  // that of the job before is not known
    }
    add_earlier(run, subject_->earlier());
    end_stage(Stage::rest);
    if (!subject_->stopped()) {
        verify();
    }
    return run;
}

// One wrong run makes the row wrong; the worst error stands for all runs.
void CaseRuns::verify() {
    if (!check_) {
        return;
    }
    const Check check = subject_->verify();
    const bool larger = !std::isnan(check_->error) && !(check.error <= check_->error);
    if (check.passed == check_->passed ? larger : check_->passed) {
        check_->error = check.error;
    }
    check_->passed = check_->passed && check.passed;
    check_->input_changed = check_->input_changed || check.input_changed;
    check_->tolerance = check.tolerance;
    check_->precision = check.precision;
    check_->why = check.why;
    end_stage(Stage::verify);
}

Row CaseRuns::whole_row() const {
    Row whole;
    whole.name = planned_.name;
    whole.work = planned_.work;
    whole.runs = runs_in(series_.shown());
    whole.check = check_;
    whole.note = note_;
    whole.details = details_;
    whole.set_up = set_up_;
    whole.write_results = write_results_;
    whole.overhead = overhead_;
    whole.replaced = series_.replaced();
    whole.measured_again = series_.measured_again();
    whole.alone_because = planned_.why_alone();
    whole.road = nodes_of_road_;
    std::vector<std::vector<LimitComponent>> probes;
    for (const Sample& sample : series_.shown()) {
        probes.push_back(sample.probe);
    }
    if (!last_probe_.empty()) {
        probes.push_back(last_probe_);
    }
    if (session_.options().limits == Switch::on) {
        whole.limit = limit_of(probes);
        const std::string beside = whole.beside_limit();
        whole.note += (whole.note.empty() || beside.empty() ? "" : "; ") + beside;
    }
    return whole;
}

std::vector<Row> CaseRuns::rows() const {
    if (error_) {
        return {*error_};
    }
    if (series_.shown().empty()) {
        return {};
    }
    const Row whole = whole_row();
    std::vector<Row> rows;
    if (planned_.whole == WholeRow::reported) {
        rows.push_back(whole);
    }
    for (std::size_t clock = 0; clock < planned_.clock_rows.size(); ++clock) {
        Row row = whole;
        row.name = planned_.name.with_suffix(planned_.clock_rows[clock].name);
        row.work = planned_.clock_rows[clock].work;
        for (auto* runs : {&row.runs, &row.replaced}) {
            for (Run& run : *runs) {
                run.real = run.clocks[clock];
                run.conditions.energy_joules.reset();       // the whole run's
                if (planned_.whole == WholeRow::omitted) {  // a part of the ranks alone
                    run.rank_seconds.clear();
                    run.rank_summary.reset();
                }
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace quartet::bench

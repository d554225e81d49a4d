#include "bench/measure/measure.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "bench/measure/machine_watch.hpp"
#include "bench/measure/probes.hpp"
#include "bench/results/flags.hpp"

namespace quartet::bench {

namespace {

constexpr int fewest_automatic_runs = 6;  // fewer have no 95% interval
constexpr int most_automatic_runs = 200;

/// One case while it is measured. make(), run() and end() are collective, the others are local.
class Subject {
  public:
    Subject(Session& session, const PlannedCase& planned, const MachineProbes& machine);

    [[nodiscard]] const PlannedCase& planned() const { return planned_; }
    [[nodiscard]] int runs() const { return static_cast<int>(row_.runs.size()); }
    /// 0 if --ci decides their number.
    [[nodiscard]] int planned_runs() const { return wanted_.count.value_or(0); }
    [[nodiscard]] bool wants_run() const;
    [[nodiscard]] bool is_made() const { return case_ != nullptr; }
    /// Constructs the case and warms it up. An unavailable case gets an error row instead.
    void make();
    /// Probes the limit, runs once, verifies.
    void run(int round);
    /// For a job that stops: without a run, the case gets an error row.
    void leave_out();
    /// Ends the case and frees its memory.
    void end();
    /// The row of the whole run, and the row of the paper's time if the case has one; an error row
    /// if the case failed or has not run yet. Without flags. Complete on rank 0; checks and errors
    /// are the same on all ranks.
    [[nodiscard]] std::vector<Row> rows() const;

  private:
    [[nodiscard]] bool has_limit() const { return session_.options().limits == Switch::on; }
    [[nodiscard]] Row error_row(const std::string& reason, ExitCode code) const;
    void probe_limit();
    /// With `path`, also counts the bytes that the node sends meanwhile.
    Run timed_run(NetworkPath* path = nullptr);
    void set_slowest(Run& run, Seconds real, Seconds cpu) const;
    void add_earlier(Run& run) const;

    Session& session_;
    const PlannedCase& planned_;
    const MachineProbes& machine_;
    Runs wanted_;
    Row row_;  ///< of the whole run
    std::unique_ptr<Case> case_;
    std::optional<NetworkPath> path_;
    Seconds last_run_;
};

Subject::Subject(Session& session, const PlannedCase& planned, const MachineProbes& machine)
    : session_(session),
      planned_(planned),
      machine_(machine),
      wanted_(runs_of(planned, session.options().runs)) {
    row_.name = planned.name;
    row_.work = planned.work;
    row_.work.gpus = static_cast<int>(session.gpus().all().size());
}

bool Subject::wants_run() const {
    if (!row_.error.empty()) {
        return false;
    }
    if (wanted_.count) {
        return runs() < *wanted_.count;
    }
    return runs() < most_automatic_runs &&
           (runs() < fewest_automatic_runs || !row_.time.within(wanted_.interval));
}

// An error row has only a name, the work and the error.
Row Subject::error_row(const std::string& reason, ExitCode code) const {
    Row row;
    row.name = planned_.name.with_suffix("error");
    row.work = row_.work;
    row.error = reason;
    row.error_code = code;
    return row;
}

void Subject::make() {
    const comm::Communicator& world = session_.world();
    if (!planned_.unavailable.empty()) {
        row_ = error_row(planned_.unavailable, ExitCode::unavailable);
        return;
    }
    const Seconds begin = now();
    device::Arena arena(session_.device(), device::Arena::Mode::allocate);
    case_ = planned_.make(arena);
    case_->set_up();
    row_.set_up = {world.maximum((now() - begin).value)};
    if (has_limit()) {
        case_->prepare_limit(arena);
    }
    check(arena.needs() == planned_.needs, "a case allocates other memory than it has planned");
    if (session_.topology().nodes() > 1) {
        path_.emplace(session_, machine_);
    }
    for (int run = 0; run < wanted_.warmup; ++run) {
        timed_run();
    }
}

void Subject::probe_limit() {
    if (!row_.limit) {
        row_.limit.emplace();
    }
    row_.limit->add(case_->limit());
}

void Subject::run(int round) {
    if (has_limit()) {
        probe_limit();
        // The probe's data has displaced the case's from the caches, which slows a short run down.
        if (wanted_.warmup > 0 && last_run_ < probe_time) {
            timed_run();
        }
    }
    Run run = timed_run(path_ ? &*path_ : nullptr);
    run.round = round;
    if (row_.limit) {
        run.limit_seconds = slowest(row_.limit->probes.back()).seconds.value;
    }
    row_.add(std::move(run));
    row_.note = case_->note();
    row_.details = case_->details();  // here, as it may be collective, and rows() is local
    if (path_) {
        row_.network = path_->nodes();
    }
    if (has_limit() && planned_.repetition == Repetition::once) {
        session_.world().barrier();
        probe_limit();
    }
    if (const auto why = case_->stopped()) {
        row_ = error_row(*why, ExitCode::stopped);
    }
}

void Subject::leave_out() {
    if (row_.runs.empty() && row_.error.empty()) {
        row_ = error_row("stopped on request before its first run", ExitCode::unavailable);
    }
}

void Subject::end() {
    if (!case_) {
        return;
    }
    const Seconds begin = now();
    if (row_.error.empty()) {
        case_->finish();
        row_.note = case_->note();
        row_.details = case_->details();
    }
    case_.reset();
    row_.write_results = {session_.world().maximum((now() - begin).value)};
}

Run Subject::timed_run(NetworkPath* path) {
    case_->prepare();
    session_.stream().synchronize();
    session_.trace().reset_busy();
    if (path != nullptr) {
        path->begin();
    }
    MachineWatch watch(session_, machine_);
    const Seconds cpu_begin = process_cpu_time();
    const Seconds begin = now();
    case_->run();
    session_.stream().synchronize();
    const Seconds real = now() - begin;
    const Seconds cpu = process_cpu_time() - cpu_begin;
    Run run;
    run.conditions = watch.end();
    if (path != nullptr) {
        path->end();
    }
    set_slowest(run, real, cpu);
    last_run_ = run.real;
    // Cores that only wait for a GPU have a low clock, which does not slow the GPU down.
    const bool reduces_here = planned_.name.variant.formulation == Formulation::dataflow &&
                              !device::has_own_memory(session_.reducer_device());
    if (has_limit() && (!device::has_own_memory(session_.device()) || reduces_here)) {
        session_.world().barrier();  // all probe at once: hyperthreads slow each other down
        run.conditions.clock_probe_seconds =
            session_.world().maximum(machine_.clock_probe(session_.threads()).value);
    }
    session_.trace().note_period(planned_.name.text(), begin, begin + real);
    add_earlier(run);
    if (!case_->stopped() && session_.options().verify == Switch::on) {
        row_.add(case_->verify());
    }
    return run;
}

// Takes times and phases from the slowest rank; the paper's time is its maximum over all ranks.
void Subject::set_slowest(Run& run, Seconds real, Seconds cpu) const {
    const comm::Communicator& world = session_.world();
    std::vector<double> seconds = world.gather(real.value);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
    const PhaseSeconds busy = session_.trace().busy();
    const auto all_phases = world.gather(std::span<const double>(busy));
    run.real = {seconds[last]};
    std::ranges::copy(std::span(all_phases).subspan(last * phase_count, phase_count),
                      run.phases.begin());
    if (world.size() <= most_ranks_listed) {
        run.rank_seconds = std::move(seconds);
    }
    run.cpu = {world.gather(cpu.value)[last]};
    run.paper = {world.maximum(case_->paper_time().value)};
}

// Adds the time that earlier, stopped jobs spent on this run, which is the same on all ranks.
void Subject::add_earlier(Run& run) const {
    const EarlierTime earlier = case_->earlier();
    if (!(earlier.real > Seconds{})) {
        return;
    }
    run.real = run.real + earlier.real;
    run.cpu = run.cpu + earlier.cpu;
    for (double& seconds : run.rank_seconds) {
        seconds += earlier.real.value;
    }
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        run.phases[phase] += earlier.phases[phase];
    }
    run.conditions.energy_joules.reset();
}

std::vector<Row> Subject::rows() const {
    if (!row_.error.empty()) {
        return {row_};
    }
    if (row_.runs.empty()) {  // in a document that is written while measuring goes on
        return {error_row("the job ended before a run of it was kept", ExitCode::unavailable)};
    }
    std::vector<Row> rows{row_};
    const std::string beside = row_.beside_limit();
    rows[0].note += (row_.note.empty() || beside.empty() ? "" : "; ") + beside;
    if (planned_.has_paper_time) {
        Row row = rows[0];
        row.name = planned_.name.with_suffix(paper_suffix);
        row.runs.clear();
        for (Run run : row_.runs) {
            run.real = run.paper;
            run.conditions.energy_joules.reset();  // it is of the whole run
            row.add(std::move(run));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// Whether the needs fit into half of each node's free memory, --memory, and the GPUs' free memory.
// Collective.
bool fits(const device::MemoryNeeds& needs, const Session& session) {
    const comm::NodeResources& resources = session.topology().resources();
    const comm::Communicator& node = session.topology().node();
    const auto fits_on_node = [&](Bytes needed, Bytes free) {
        return 2 * node.sum(static_cast<double>(needed.value)) <= static_cast<double>(free.value);
    };
    const auto& allowed = session.options().memory;
    const auto& allowed_on_device = session.options().device_memory;
    const bool on_node = fits_on_node(needs.host, resources.memory_available);
    return session.world().all(
        on_node && (!allowed || needs.host <= *allowed) &&
        (session.gpus().empty() || needs.device <= session.gpus().memory_share()) &&
        (!allowed_on_device || needs.device <= *allowed_on_device));
}

// One past the last of the cases from `first` on that fit into memory together. Collective.
std::size_t end_of_batch(const Session& session, std::size_t first) {
    const std::vector<PlannedCase>& plan = session.plan();
    device::MemoryNeeds needs = plan[first].needs;
    std::size_t last = first + 1;
    const auto takes_turns = [&](std::size_t index) {
        return plan[index].repetition == Repetition::in_turn;
    };
    for (; last < plan.size() && takes_turns(first) && takes_turns(last); ++last) {
        needs = needs + plan[last].needs;
        if (!fits(needs, session)) {
            break;
        }
    }
    return last;
}

/// All cases of a job while they are measured.
class Job {
  public:
    Job(Session& session, const Listener& listener, const MachineProbes& machine)
        : session_(session),
          listener_(listener),
          processors_{.counters = machine.counters, .clock_probe = {}},
          watch_(session, processors_) {
        for (const PlannedCase& planned : session.plan()) {
            subjects_.emplace_back(session, planned, machine);
        }
    }

    Measured measure();

  private:
    void measure_batch(std::size_t first, std::size_t last);
    bool run_one(std::size_t index);
    bool is_left_out(const Subject& subject);
    [[nodiscard]] std::vector<Row> rows() const;

    Session& session_;
    const Listener& listener_;
    MachineProbes processors_;  ///< without GPUs, whose counters take long to read
    MachineWatch watch_;
    RunConditions conditions_;       ///< from the beginning to the last run
    std::vector<Subject> subjects_;  ///< in the plan's order
    int rounds_ = 0;
    bool is_stopped_ = false;
};

Measured Job::measure() {
    for (std::size_t first = 0; first < subjects_.size();) {
        const std::size_t last = end_of_batch(session_, first);
        measure_batch(first, last);
        first = last;
    }
    return {rows(), rounds_, is_stopped_};
}

void Job::measure_batch(std::size_t first, std::size_t last) {
    std::vector<std::size_t> order(last - first);
    std::iota(order.begin(), order.end(), first);
    if (rounds_ % 2 == 1) {
        std::ranges::reverse(order);
    }
    for (bool any_ran = true; any_ran; std::ranges::reverse(order)) {
        any_ran = false;
        for (const std::size_t index : order) {
            any_ran = run_one(index) || any_ran;
        }
        if (any_ran) {
            ++rounds_;
            session_.gpus().update(session_.world());
        }
    }
    for (std::size_t index = first; index < last; ++index) {
        subjects_[index].end();
    }
    listener_.on_rows([this] { return rows(); });
}

// Constructs the case only at its first run, so that a failure loses no run of the cases before it.
bool Job::run_one(std::size_t index) {
    Subject& subject = subjects_[index];
    if (!subject.wants_run()) {
        return false;
    }
    if (!is_stopped_) {
        listener_.on_run(index, subject.runs(), subject.planned_runs());
    }
    if (!subject.is_made() && !is_left_out(subject)) {
        subject.make();
    }
    if (is_left_out(subject)) {  // a signal may also come while the case makes its data
        subject.leave_out();
        return false;
    }
    if (!subject.is_made()) {
        return false;
    }
    subject.run(rounds_);
    conditions_ = watch_.end();
    listener_.on_rows([this] { return rows(); });
    return true;
}

// Whether a signal has asked any rank to stop. Called only before work that is still to do, so that
// a signal after the last run changes nothing. A case that runs once reacts to signals itself, as
// it may save a checkpoint, unless the job has agreed to stop before. Collective.
bool Job::is_left_out(const Subject& subject) {
    if (subject.planned().repetition == Repetition::once && !is_stopped_) {
        return false;
    }
    if (!is_stopped_ && session_.world().any(session_.stop_request().is_made())) {
        is_stopped_ = true;
        session_.stop_request().ignore_later();
    }
    return is_stopped_;
}

std::vector<Row> Job::rows() const {
    std::vector<Row> rows;
    for (const Subject& subject : subjects_) {
        std::ranges::move(subject.rows(), std::back_inserter(rows));
    }
    flag_rows(rows, conditions_);
    return rows;
}

}  // namespace

Measured measure(Session& session, const Listener& listener, const MachineProbes& machine) {
    return Job(session, listener, machine).measure();
}

}  // namespace quartet::bench

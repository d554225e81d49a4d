#include "bench/measure/measure.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/flag_rows.hpp"
#include "bench/measure/groups.hpp"
#include "bench/measure/measurement.hpp"
#include "bench/measure/run_times.hpp"

namespace quartet::bench {

namespace {

// What may always be spent on measuring again, however short the first time was.
constexpr Seconds least_time_again{1};

/// All cases of a job while they are measured.
class Job {
  public:
    Job(Session& session, const Listener& listener, const MachineProbes& machine)
        : session_(session), listener_(listener) {
        const Seconds overhead = empty_run(session);
        for (const PlannedCase& planned : session.plan()) {
            cases_.emplace_back(session, planned, overhead, machine);
        }
    }

    Measured measure();

  private:
    /// One run of each of these cases that `wants` one. Whether there was any.
    template <typename Wants>
    bool round(const Group& group, Wants wants);
    void measure_group(const Group& group);
    void repeat_disturbed(const Group& group, Seconds at_most);
    void measure_anew(Seconds at_most);
    [[nodiscard]] std::vector<std::size_t> distrusted_cases() const;
    void tell_rows() const {
        listener_.on_rows([this] { return rows(); });
    }
    [[nodiscard]] bool is_over() const { return deadline_ && agreed_time() > *deadline_; }
    /// The same on all ranks.
    [[nodiscard]] Seconds agreed_time() const {
        return {session_.world().broadcast(now().value, 0)};
    }
    /// Whether a signal has asked any rank to stop. To be asked before what would still be done,
    /// so that a signal which comes after everything changes nothing. Collective.
    bool is_stopped();
    /// Whether it makes no further run for that. One that runs once may save a checkpoint when it
    /// is asked to stop, and does so itself, unless the job has agreed to stop before. Collective.
    bool is_left_out(const Measurement& one) {
        const bool stops_itself = one.planned().repetition == Repetition::once && !method_.stopped;
        return !stops_itself && is_stopped();
    }
    [[nodiscard]] std::vector<Row> rows() const;
    [[nodiscard]] bool remeasures() const { return session_.options().remeasure == Switch::on; }

    Session& session_;
    const Listener& listener_;
    std::vector<Measurement> cases_;  ///< as in the plan
    Method method_;
    std::optional<Seconds> deadline_;
};

Measured Job::measure() {
    std::vector<std::size_t> all(cases_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Seconds begin = agreed_time();
    for (const Group& group : groups_of(session_, all)) {
        measure_group(group);
        ++method_.groups;
    }
    if (remeasures() && !method_.stopped) {
        measure_anew(std::max(agreed_time() - begin, least_time_again));
    }
    return {rows(), method_};
}

void Job::measure_group(const Group& group) {
    const Seconds begin = agreed_time();
    while (!is_over() && round(group, [](const Measurement& one) { return one.wants_run(); })) {
    }
    if (remeasures() && !method_.stopped) {
        repeat_disturbed(group, std::max(agreed_time() - begin, least_time_again));
    }
    for (const std::size_t index : group) {
        cases_[index].end();
    }
    tell_rows();
}

bool Job::is_stopped() {
    if (!method_.stopped && session_.world().any(session_.is_asked_to_stop())) {
        method_.stopped = true;
        session_.ignore_later_signals();
    }
    return method_.stopped;
}

template <typename Wants>
bool Job::round(const Group& group, Wants wants) {
    Group order = group;
    if (method_.rounds % 2 == 1) {
        std::ranges::reverse(order);
    }
    bool any = false;
    for (const std::size_t index : order) {
        Measurement& one = cases_[index];
        if (!wants(one)) {
            continue;
        }
        // So late that a case which fails loses no run of those before it.
        if (!one.has_begun() && !is_left_out(one)) {
            one.begin();
        }
        if (is_left_out(one)) {  // also when asked while it made its data
            one.leave_out();
        } else if (wants(one)) {
            listener_.on_run(index, one.runs(), one.planned_runs());
            one.run(method_.rounds);
            tell_rows();
            any = true;
        }
    }
    if (any) {
        ++method_.rounds;
        session_.gpus().update(session_.world());
    }
    return any;
}

void Job::repeat_disturbed(const Group& group, Seconds at_most) {
    const Seconds begin = agreed_time();
    const auto best_clock = best_clock_probe(rows());
    for (const std::size_t index : group) {
        cases_[index].begin_repeats(best_clock);
    }
    while (!is_over() && agreed_time() - begin < at_most &&
           round(group, [](const Measurement& one) { return one.wants_repeat(); })) {
    }
}

std::vector<std::size_t> Job::distrusted_cases() const {
    const std::vector<Row> all = rows();
    auto first = all.begin();
    std::vector<std::size_t> cases;
    for (std::size_t index = 0; index < cases_.size(); ++index) {
        const auto last = first + std::ssize(cases_[index].rows());
        if (cases_[index].planned().why_alone().empty() &&
            std::any_of(first, last, [](const Row& row) { return row.distrusted(); })) {
            cases.push_back(index);
        }
        first = last;
    }
    return cases;
}

// Once: what is flagged again stays flagged.
void Job::measure_anew(Seconds at_most) {
    const std::vector<std::size_t> cases = distrusted_cases();
    deadline_ = agreed_time() + at_most;
    for (const Group& group : groups_of(session_, cases)) {
        if (is_over()) {
            return;
        }
        for (const std::size_t index : group) {
            cases_[index].start_anew();
        }
        measure_group(group);
    }
}

std::vector<Row> Job::rows() const {
    std::vector<Row> rows;
    for (const Measurement& one : cases_) {
        std::ranges::move(one.rows(), std::back_inserter(rows));
    }
    flag_rows(rows);
    return rows;
}

}  // namespace

Measured measure(Session& session, const Listener& listener, const MachineProbes& machine) {
    return Job(session, listener, machine).measure();
}

std::vector<Row> measure(Session& session, const PlannedCase& planned,
                         const std::function<void(int done, int total)>& on_run,
                         const MachineProbes& machine) {
    Measurement one(session, planned, empty_run(session), machine);
    one.begin();
    for (int round = 0; one.wants_run(); ++round) {
        on_run(one.runs(), one.planned_runs());
        one.run(round);
    }
    one.end();
    std::vector<Row> rows = one.rows();
    flag_rows(rows);
    return rows;
}

}  // namespace quartet::bench

#include "bench/measure/measure.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "bench/measure/budget.hpp"
#include "bench/measure/case_runs.hpp"
#include "bench/measure/disturbance.hpp"
#include "bench/measure/flag_rows.hpp"
#include "bench/measure/groups.hpp"
#include "bench/measure/run_times.hpp"

namespace quartet::bench {

namespace {

// The time that measuring again may always take, however short the first time was.
constexpr Seconds least_time_again{1};

/// All cases of a job while they are measured. Members are collective, but for rows().
class Job {
  public:
    Job(Session& session, const Listener& listener, const MachineProbes& machine)
        : session_(session),
          listener_(listener),
          budget_(session.options().budget, now_on_all(), session.plan().size()) {
        const Seconds overhead = empty_run(session);
        for (const PlannedCase& planned : session.plan()) {
            cases_.emplace_back(session, planned, overhead, machine);
        }
    }

    void measure_group(const Group& group);
    /// Cases with a flag, to be measured anew once: what is flagged again stays flagged.
    [[nodiscard]] std::vector<std::size_t> distrusted_cases() const;
    /// Sets all runs of a group aside and measures it once more, if the time for that is left.
    void measure_anew(const Group& group, Seconds expected);
    /// Work that began at `begin` may be repeated for as long as it took.
    [[nodiscard]] Seconds end_of_repeats(Seconds begin) const {
        return now_on_all() + std::max(now_on_all() - begin, least_time_again);
    }
    void set_deadline(Seconds deadline) { deadline_ = deadline; }
    [[nodiscard]] bool may_repeat() const {
        return session_.options().remeasure == Switch::on && !is_stopped_;
    }
    [[nodiscard]] bool is_past(const std::optional<Seconds>& time) const {
        return time && now_on_all() > *time;
    }
    [[nodiscard]] Seconds now_on_all() const {
        return {session_.world().broadcast(now().value, 0)};
    }

    [[nodiscard]] std::vector<Row> rows() const;
    [[nodiscard]] int rounds() const { return rounds_; }
    [[nodiscard]] bool is_stopped() const { return is_stopped_; }

  private:
    bool is_ready(CaseRuns& one);
    bool is_left_out(const CaseRuns& one);
    void begin_repeats(const Group& group);
    void tell_rows() const {
        listener_.on_rows([this] { return rows(); });
    }

    Session& session_;
    const Listener& listener_;
    Budget budget_;
    std::vector<CaseRuns> cases_;  ///< as in the plan
    int rounds_ = 0;
    bool is_stopped_ = false;
    std::optional<Seconds> deadline_;
};

// Rounds of one run of each case, every other one in reverse: until all have the runs that were
// asked for, then until none has a disturbed one, or it takes too long. The first round is always
// made; a later one is expected to take as long as the one before, without making the cases.
void Job::measure_group(const Group& group) {
    const Seconds begin = now_on_all();
    budget_.begin_group(group.size(), begin);
    std::optional<Seconds> last_round;
    std::optional<Seconds> repeats_end;
    while (!is_past(deadline_) && !is_past(repeats_end) &&
           (!last_round || budget_.has_room(*last_round, now_on_all()))) {
        Group order = group;
        if (rounds_ % 2 == 1) {
            std::ranges::reverse(order);
        }
        std::optional<Seconds> round;
        for (const std::size_t index : order) {
            CaseRuns& one = cases_[index];
            if (!one.wants_run()) {
                continue;
            }
            if (!is_stopped_) {
                listener_.on_run(index, one.runs(), one.planned_runs());
            }
            if (is_ready(one)) {
                const Seconds run_begin = now_on_all();
                one.run(rounds_);
                tell_rows();
                round = round.value_or(Seconds{}) + (now_on_all() - run_begin);
            }
        }
        if (round) {
            last_round = round;
            ++rounds_;
            session_.gpus().update(session_.world());
        } else if (repeats_end || !may_repeat()) {
            break;
        } else {
            repeats_end = end_of_repeats(begin);
            begin_repeats(group);
        }
    }
    for (const std::size_t index : group) {
        cases_[index].end();
    }
    tell_rows();
}

void Job::measure_anew(const Group& group, Seconds expected) {
    if (is_past(deadline_) || !budget_.has_room(expected, now_on_all())) {
        return;
    }
    for (const std::size_t index : group) {
        cases_[index].start_anew();
    }
    measure_group(group);
}

// Makes the case at its first run: so late that one which fails loses no run of those before it.
bool Job::is_ready(CaseRuns& one) {
    if (!one.has_begun() && !is_left_out(one)) {
        one.begin();
    }
    if (is_left_out(one)) {  // also when asked to stop while it made its data
        one.leave_out();
        return false;
    }
    return one.wants_run();
}

// Whether a signal has asked any rank to stop. Asked before what would still be done, so that a
// signal which comes after everything changes nothing. A case that runs once may save a checkpoint
// when it is asked to stop, and does so itself, unless the job has agreed to stop before.
bool Job::is_left_out(const CaseRuns& one) {
    if (one.planned().repetition == Repetition::once && !is_stopped_) {
        return false;
    }
    if (!is_stopped_ && session_.world().any(session_.stop_request().is_made())) {
        is_stopped_ = true;
        session_.stop_request().ignore_later();
    }
    return is_stopped_;
}

void Job::begin_repeats(const Group& group) {
    const auto best_clock = best_clock_probe(rows());
    for (const std::size_t index : group) {
        cases_[index].begin_repeats(best_clock);
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

std::vector<Row> Job::rows() const {
    std::vector<Row> rows;
    for (const CaseRuns& one : cases_) {
        std::ranges::move(one.rows(), std::back_inserter(rows));
    }
    flag_rows(rows);
    return rows;
}

}  // namespace

Measured measure(Session& session, const Listener& listener, const MachineProbes& machine) {
    Job job(session, listener, machine);
    const Seconds begin = job.now_on_all();
    std::vector<std::size_t> all(session.plan().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<Group> groups = groups_of(session, all);
    for (const Group& group : groups) {
        job.measure_group(group);
    }
    if (job.may_repeat()) {
        const Seconds took = job.now_on_all() - begin;
        job.set_deadline(job.end_of_repeats(begin));
        for (const Group& group : groups_of(session, job.distrusted_cases())) {
            const auto share =
                static_cast<double>(group.size()) / static_cast<double>(session.plan().size());
            job.measure_anew(group, share * took);
        }
    }
    return {job.rows(),
            {.groups = static_cast<int>(groups.size()),
             .rounds = job.rounds(),
             .stopped = job.is_stopped(),
             .took = job.now_on_all() - begin}};
}

}  // namespace quartet::bench

#pragma once

#include <optional>
#include <vector>

#include "bench/results/limit.hpp"
#include "bench/results/row.hpp"
#include "bench/session/options.hpp"

namespace quartet::bench {

/// A run and the probe right before it.
struct Sample {
    Run run;
    std::vector<LimitComponent> probe;  ///< empty with --limits off
};

std::vector<Run> runs_in(const std::vector<Sample>& samples);

/// The runs of one case, and which of them count. Runs that something disturbed can be repeated,
/// and all be measured anew. Local; all ranks have the same times, and so decide alike.
class RunSeries {
  public:
    explicit RunSeries(const Runs& wanted) : wanted_(wanted) {}

    void add(Sample sample) { samples_.push_back(std::move(sample)); }
    /// Runs of the series so far, without those of one before.
    [[nodiscard]] int size() const { return static_cast<int>(samples_.size()); }
    [[nodiscard]] bool has_any() const { return !samples_.empty() || !earlier_.empty(); }
    /// Whether it has fewer runs than asked for, its median is not yet known well enough, or, while
    /// it repeats, a run was disturbed that no repetition has replaced.
    [[nodiscard]] bool wants_run() const;
    /// 0 if --ci or the machine's disturbances decide it.
    [[nodiscard]] int planned_size() const { return asked_ ? 0 : wanted_.count.value_or(0); }

    /// From now on runs are repetitions. Clocks are judged beside the job's best so far.
    void begin_repeats(std::optional<double> best_clock_probe);
    /// Sets all runs aside, to be measured anew.
    void start_anew();
    /// Goes back to the runs that were set aside. False if there are none.
    bool give_up();
    /// No run follows. Of repeated runs as many as were asked for stay, those that nothing
    /// disturbed before the others; a new series that is not complete is given up.
    void end();

    /// A new series once it is complete, until then the one before.
    [[nodiscard]] const std::vector<Sample>& shown() const {
        return earlier_.empty() || is_complete() ? samples_ : earlier_;
    }
    /// Runs that do not count, in the order they were made.
    [[nodiscard]] const std::vector<Run>& replaced() const { return replaced_; }
    [[nodiscard]] int measured_again() const { return measured_again_; }

  private:
    /// Whether all runs are there; repetitions may be missing.
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] bool is_clean(const Sample& sample) const;
    void choose_among_repeats();

    Runs wanted_;
    std::vector<Sample> samples_;
    std::vector<Sample> earlier_;  ///< of the series before, while there is a new one
    std::vector<Run> replaced_;
    std::optional<int> asked_;                ///< runs, before the repetitions
    std::optional<double> best_clock_probe_;  ///< that repetitions are judged by
    int measured_again_ = 0;
};

}  // namespace quartet::bench

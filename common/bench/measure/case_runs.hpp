#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/machine_watch.hpp"
#include "bench/measure/road_watch.hpp"
#include "bench/measure/run_series.hpp"
#include "bench/session/session.hpp"
#include "comm/windows/window_space.hpp"

namespace quartet::bench {

/// One case while it is measured: made, run by run, verified, and told as rows. So the runs of
/// several can be interleaved. All members but accessors are collective.
class CaseRuns {
  public:
    /// `overhead` is the time of empty_run().
    CaseRuns(Session& session, const PlannedCase& planned, Seconds overhead,
             const MachineProbes& machine);

    /// Makes the case and warms it up. Where the case cannot be had, it is over with an error row.
    void begin();
    [[nodiscard]] bool has_begun() const { return has_begun_; }
    /// Probes the limit, runs once, verifies.
    void run(int round);
    /// No further run will be made, since the job is to stop. Without any it is an error row.
    /// Local.
    void leave_out();
    /// Whether it has fewer runs than asked for, its median is not yet known well enough, or, while
    /// it repeats, a run was disturbed that no repetition has replaced.
    [[nodiscard]] bool wants_run() const { return !error_ && series_.wants_run(); }
    /// Ends the case and frees its memory. Of runs that were repeated, as many as were asked for
    /// stay: those that nothing disturbed, before the others.
    void end();

    /// From now on runs are repetitions, unless the case runs once. Clocks are judged beside the
    /// job's best so far.
    void begin_repeats(std::optional<double> best_clock_probe) {
        if (subject_ && planned_.repetition != Repetition::once) {
            series_.begin_repeats(best_clock_probe);
        }
    }

    /// Sets all runs aside, to be measured anew. A new series that ends early is given up.
    void start_anew() { series_.start_anew(); }

    [[nodiscard]] const PlannedCase& planned() const { return planned_; }
    [[nodiscard]] int runs() const { return series_.size(); }
    /// 0 if --ci or the machine's disturbances decide it.
    [[nodiscard]] int planned_runs() const { return series_.planned_size(); }
    /// The whole, where it is reported, and one for each of the case's clocks; or an error row.
    /// None before the first run. Without flags. Complete on rank 0, verified on all. Local.
    [[nodiscard]] std::vector<Row> rows() const;

  private:
    [[nodiscard]] std::unique_ptr<comm::ReservedSpace> reserve_windows();
    void give_up(const std::string& reason, ExitCode code);
    Run timed_run(Stage stage);
    void verify();
    [[nodiscard]] Row whole_row() const;
    /// Counts the time since the last call as this stage of the job.
    void end_stage(Stage stage) const { session_.record().stages.end(stage); }

    Session& session_;
    const PlannedCase& planned_;
    Seconds overhead_;
    const MachineProbes& machine_;
    Runs wanted_;
    RunSeries series_;
    bool has_begun_ = false;
    std::unique_ptr<Case> subject_;
    Seconds last_run_;
    Seconds set_up_;
    Seconds write_results_;
    std::vector<LimitComponent> last_probe_;  ///< after a single run
    std::optional<Check> check_;
    std::string note_;
    Details details_;
    std::optional<RoadWatch> road_;  ///< from the first begin() on
    std::vector<std::string> nodes_of_road_;
    std::optional<Row> error_;
};

}  // namespace quartet::bench

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/program/options.hpp"
#include "bench/report/row.hpp"
#include "comm/topology/roles.hpp"

namespace quartet::bench {

/// A kernel's own clocks within one run, as numbered by PlannedCase::clock_rows: the paper's, or
/// those of single pairs. Zero where this rank has nothing to say.
class Clocks {
  public:
    explicit Clocks(std::size_t count) : times_(count) {}
    void record(std::size_t clock, Seconds time) { times_.at(clock) = time; }
    [[nodiscard]] Seconds time(std::size_t clock) const { return times_.at(clock); }

  private:
    std::vector<Seconds> times_;
};

/// What a case has cost in earlier processes that were stopped, as far as it was not lost.
struct Spent {
    Seconds real;  ///< the slowest rank's, as is the rest
    Seconds cpu;
    PhaseSeconds phases{};
};

/// One kernel in one formulation at one size, its data and memory ready: what the measurement
/// drives. All members are called on all ranks together.
class Case {
  public:
    virtual ~Case() = default;

    /// Before each run, outside of the time: brings the data back to the beginning.
    virtual void prepare() = 0;
    /// The timed step. Neither prints nor allocates. Clocks are recorded by the ranks that have
    /// them.
    virtual void run(Clocks& clocks) = 0;
    /// Why the last run ended before its work was done, and what to do; nothing where it did not.
    /// Same answer on all ranks.
    [[nodiscard]] virtual std::optional<std::string> stopped() const { return std::nullopt; }
    /// What belongs to the last run beside it.
    [[nodiscard]] virtual Spent earlier() const { return {}; }
    /// Checks the last run's own result, outside of the time. Same answer on all ranks.
    virtual Check verify() = 0;
    /// Makes ready what limit() needs, after the set-up's clock has stopped; not called with
    /// --limits off.
    virtual void prepare_limit() = 0;
    /// Probes, outside of the time, how long the run would take at each limit of the machine: at
    /// least one, the same ones in each probe. The slowest decides. Same answer on all ranks.
    virtual std::vector<LimitComponent> limit() = 0;
    /// After the last run, outside of the time: leaves what is to be kept.
    virtual void finish() {}
    /// What is worth knowing about how it ran: "window on huge pages".
    [[nodiscard]] virtual std::string note() const { return {}; }
    /// Further figures of the last run. Same answer on all ranks.
    [[nodiscard]] virtual Details details() const { return {}; }
};

/// A further row of a case, timed by one of its clocks.
struct ClockRow {
    std::string name;  ///< the suffix of the row's name
    Work work;
};

/// Whether a case's whole time is a row.
enum class WholeRow { reported, omitted };

/// How often a case runs.
enum class Repetition {
    as_asked,
    once,  ///< one run without a warm-up: it leaves something that a second run would replace
};

/// A case before anything is allocated for it.
struct PlannedCase {
    RowName name;
    Work work;
    Bytes memory;         ///< that this rank will need at most, limits and check included
    Bytes shared_memory;  ///< of it, in windows that take space of /dev/shm
    Bytes device_memory;  ///< likewise of its GPU's memory; 0 on the host
    Bytes traffic;        ///< through the busiest rank's memory in one run: for the estimated time
    Flops products;       ///< of matrices, on the busiest rank in one run: ditto
    double probe_share = 0.1;  ///< of a run's time, that measuring the limit once takes: ditto
    std::string plan_note;     ///< what --dry-run says beside it
    std::optional<comm::Roles> roles;  ///< of a data flow; else the session's
    std::vector<ClockRow> clock_rows;
    WholeRow whole = WholeRow::reported;
    Repetition repetition = Repetition::as_asked;
    /// What published numbers are matched with, and the suffix of the row that is compared: empty
    /// for the whole, nothing where no row is.
    std::map<std::string, std::string> conditions;
    std::optional<std::string> compared = "";
    /// Collective. Throws Unavailable, on all ranks alike, where the case cannot be had here.
    std::function<std::unique_ptr<Case>()> make;
    /// Why it will not run, found out while planning; nothing where it will.
    std::optional<std::string> refusal;
};

/// How often a case runs where so many runs are asked for.
Runs runs_of(const PlannedCase& planned, const Runs& asked);

}  // namespace quartet::bench

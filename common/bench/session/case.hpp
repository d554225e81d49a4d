#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/options.hpp"
#include "comm/topology/roles.hpp"

namespace quartet::bench {

/// A kernel's own clocks within one run, numbered as in PlannedCase::clock_rows: the paper's, or
/// one for each pair of ranks. Zero if this rank records nothing.
class Clocks {
  public:
    explicit Clocks(std::size_t count) : times_(count) {}
    void record(std::size_t clock, Seconds time) { times_.at(clock) = time; }
    [[nodiscard]] Seconds time(std::size_t clock) const { return times_.at(clock); }

  private:
    std::vector<Seconds> times_;
};

/// Time that earlier, stopped processes spent on a case, up to their last checkpoints; each figure
/// is the slowest rank's.
struct EarlierTime {
    Seconds real;
    Seconds cpu;
    PhaseSeconds phases{};
};

/// One kernel in one formulation at one size, with its data and memory ready: what measure()
/// drives. All members are collective.
class Case {
  public:
    virtual ~Case() = default;

    /// Called before each run, outside of its time: resets the data.
    virtual void prepare() = 0;
    /// The timed step. It neither prints nor allocates, but for writing checkpoints, which are a
    /// part of it. Clocks are recorded by the ranks that have them.
    virtual void run(Clocks& clocks) = 0;
    /// Why the last run stopped before its work was done, and what to do; nothing if it did
    /// all. Same answer on all ranks.
    [[nodiscard]] virtual std::optional<std::string> stopped() const { return std::nullopt; }
    /// The time of earlier processes that belongs to the last run.
    [[nodiscard]] virtual EarlierTime earlier() const { return {}; }
    /// Checks the last run's result, outside of its time. Same answer on all ranks.
    virtual Check verify() = 0;
    /// Prepares limit(), outside of the set-up time; not called with --limits off.
    virtual void prepare_limit() = 0;
    /// Probes, outside of the runs' time, how long the run would take at each limit of the machine:
    /// at least one, the same ones in each probe. The slowest decides. Same answer on all ranks.
    virtual std::vector<LimitComponent> limit() = 0;
    /// Called after the last run, outside of its time: writes what is to be kept.
    virtual void finish() {}
    /// How it ran, for people ("windows on huge pages"). Facts for programs go into details().
    [[nodiscard]] virtual std::string note() const { return {}; }
    /// Further figures of the last run. Same answer on all ranks.
    [[nodiscard]] virtual Details details() const { return {}; }
};

/// A further row of a case, timed by one of its clocks.
struct ClockRow {
    std::string name;  ///< the suffix of the row's name
    Work work;
};

/// Whether a row reports the whole time of a case.
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
    Bytes memory;         ///< what this rank will need at most, limits and check included
    Bytes shared_memory;  ///< the part of it that lies in windows and takes space of /dev/shm
    Bytes device_memory;  ///< what it will need at most of its GPU's memory; 0 on the host
    /// For the estimated time: the bytes that the busiest rank moves through its memory in one run,
    /// and the operations of its matrix products.
    Bytes traffic;
    Flops products;
    /// For the estimated time: the time of one probe of the limit, as a share of a run's time.
    double probe_share = 0.1;
    std::string plan_note;             ///< what --dry-run says beside it
    std::optional<comm::Roles> roles;  ///< all ranks are workers unless given
    std::vector<ClockRow> clock_rows;
    WholeRow whole = WholeRow::reported;
    Repetition repetition = Repetition::as_asked;
    /// Whether runs read or write files: they share one page cache, so they are not interleaved
    /// with runs of other cases.
    bool uses_files = false;
    /// Collective. Throws Unavailable, on all ranks alike, if the case cannot be had here.
    std::function<std::unique_ptr<Case>()> make;
    /// Why it will not run, found out while planning; nothing if it will.
    std::optional<std::string> refusal;
};

/// How often the case runs, given what was asked for.
inline Runs runs_of(const PlannedCase& planned, const Runs& asked) {
    return planned.repetition == Repetition::once ? Runs{1, asked.interval, 0} : asked;
}

}  // namespace quartet::bench

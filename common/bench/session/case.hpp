#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/options.hpp"
#include "comm/topology/roles.hpp"
#include "device/arena.hpp"

namespace quartet::bench {

/// Time that earlier, stopped processes spent on a case, up to their last checkpoints; each figure
/// is the slowest rank's.
struct EarlierTime {
    Seconds real;
    Seconds cpu;
    PhaseSeconds phases{};
};

/// One kernel in one formulation at one size: what measure() drives. The constructor makes all
/// memory, by the rules of device::Arena. All members are collective.
class Case {
  public:
    virtual ~Case() = default;

    /// Called once, after construction over an arena that allocates: writes the data.
    virtual void set_up() {}

    /// Called before each run, outside of its time: resets the data.
    virtual void prepare() = 0;
    /// The timed step. It neither prints nor allocates, but for writing checkpoints, which are a
    /// part of it.
    virtual void run() = 0;
    /// The last run's time by the paper's own clock, which starts or stops at other points; 0 on
    /// ranks that have none.
    [[nodiscard]] virtual Seconds paper_time() const { return {}; }
    /// Why the last run stopped before its work was done, and what to do; nothing if it did not.
    /// Same answer on all ranks.
    [[nodiscard]] virtual std::optional<std::string> stopped() const { return std::nullopt; }
    /// The time of earlier processes that belongs to the last run.
    [[nodiscard]] virtual EarlierTime earlier() const { return {}; }
    /// Checks the last run's result, outside of its time. Same answer on all ranks.
    virtual Check verify() = 0;
    /// Makes the probes of limit(), by the rules of a constructor, outside of the set-up time; not
    /// called with --limits off.
    virtual void prepare_limit(device::Arena& arena) = 0;
    /// Probes, outside of the runs' time, how long the run would take at each limit of the machine:
    /// at least one, the same ones in each probe. The slowest decides. Same answer on all ranks.
    virtual std::vector<LimitComponent> limit() = 0;
    /// Called after the last run, outside of its time: writes the results that are kept.
    virtual void finish() {}
    /// How it ran, for people ("shared memory on huge pages"). Facts for programs go into
    /// details().
    [[nodiscard]] virtual std::string note() const { return {}; }
    /// Further figures of the last run. Same answer on all ranks.
    [[nodiscard]] virtual Details details() const { return {}; }
};

/// How often a case runs, and in what order with other cases.
enum class Repetition {
    in_turn,  ///< all runs asked for, in rounds with other cases
    alone,    ///< all runs asked for, in a row: cases with files would share the page cache
    once,     ///< one run without a warm-up: it leaves something that a second run would replace
};

/// A case before anything is allocated for it.
struct PlannedCase {
    RowName name;
    Work work;
    Bytes traffic;  ///< that the busiest rank moves through its memory in a run, for the estimate
    std::string plan_note;             ///< what --dry-run says beside it
    std::optional<comm::Roles> roles;  ///< all ranks are workers unless given
    bool has_paper_time = false;       ///< a further row NAME/paper shows Case::paper_time()
    Repetition repetition = Repetition::in_turn;
    /// Constructs the case. Throws Unavailable, at the latest while the arena plans, if it cannot
    /// be had here. Collective; local while the arena plans.
    std::function<std::unique_ptr<Case>(device::Arena& arena)> make;

    // Set by find_needs(), before anything is allocated:
    device::MemoryNeeds needs;  ///< of this rank at most, limits and check included
    std::string unavailable;    ///< why the case cannot be had here
};

/// The roles of the job's `ranks` ranks in a case.
inline comm::Roles roles_of(const PlannedCase& planned, int ranks) {
    return planned.roles.value_or(comm::Roles::all_workers(ranks));
}

/// How often the case runs, given what the user asked for.
inline Runs runs_of(const PlannedCase& planned, const Runs& asked) {
    return planned.repetition == Repetition::once ? Runs{1, asked.interval, 0} : asked;
}

}  // namespace quartet::bench

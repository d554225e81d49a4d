#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bench/program/session.hpp"

namespace quartet::bench {

/// Told, on every rank, before each run of a case: runs done so far, and how many there will be
/// (0 where that depends on --ci).
using OnRun = std::function<void(int done, int total)>;

/// How the machine around the runs is asked; of its own in tests.
struct MachineProbes {
    /// What the hypervisor has taken of these processors' time, since some beginning
    /// (comm::steal_time).
    std::function<std::optional<Seconds>(std::span<const int> processors)> steal_time;
    std::function<Seconds(int threads)> clock_probe;  ///< device::probe_clock
};
MachineProbes this_machine();

/// Runs one case as the options say and returns its rows: the whole, where it is reported, and
/// those of its clocks. Each run stands between two probes of the limit: on a shared machine the
/// rate of memory changes within seconds. A case that throws Unavailable, or is stopped, becomes an
/// error row.
/// Collective; rows are complete on rank 0, whether they are verified is known on all.
std::vector<Row> measure(Session& session, const PlannedCase& planned, const OnRun& on_run,
                         const MachineProbes& surroundings = this_machine());

}  // namespace quartet::bench

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bench/program/session.hpp"

namespace quartet::bench {

/// Called on every rank before each run of a case: with the runs done so far and their total, or 0
/// where --ci decides the total.
using OnRun = std::function<void(int done, int total)>;

/// Measures the machine around the runs; tests bring their own.
struct MachineProbes {
    /// system::steal_time
    std::function<std::optional<Seconds>(std::span<const int> processors)> steal_time;
    std::function<Seconds(int threads)> clock_probe;  ///< system::probe_clock
};
MachineProbes this_machine();

/// Runs one case as the options say and returns its rows: the whole, where it is reported, and one
/// for each of its clocks. Each run stands between two probes of the limit, since the memory rate
/// of a shared machine changes within seconds. A case that throws Unavailable or is stopped becomes
/// an error row. Collective; rows are complete on rank 0, and verified on all.
std::vector<Row> measure(Session& session, const PlannedCase& planned, const OnRun& on_run,
                         const MachineProbes& machine = this_machine());

}  // namespace quartet::bench

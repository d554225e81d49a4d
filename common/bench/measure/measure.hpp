#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/measure/machine_watch.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// Told while a job is measured, on every rank.
struct Listener {
    /// Before each run, and before its case is made: which case of the plan, the runs done so far,
    /// and their total or 0 where --ci decides it.
    std::function<void(std::size_t index, int done, int total)> on_run = [](auto...) {};
    /// After each run: `rows_so_far` gives all rows with their flags, in the plan's order, an error
    /// row of a case without a run; it is local.
    std::function<void(const std::function<std::vector<Row>()>& rows_so_far)> on_rows =
        [](const auto&) {};
};

/// What came of a job.
struct Measured {
    std::vector<Row> rows;  ///< in the plan's order, with their flags
    int rounds = 0;         ///< of one run of each case
    bool stopped = false;   ///< by a signal, before all runs were made
};

/// Runs the cases of the session's plan as the options say. The runs of cases whose data fit into
/// memory together take turns, so that a bad minute hits all alike: a round has one run of each,
/// and every other round takes them in reverse. Right before each run stands a probe of its limit,
/// since the memory rate of a shared machine changes within seconds.
///
/// Where a signal asks any rank to stop, no further run begins: complete runs are kept, and a case
/// without any becomes an error row. So does a case that throws Unavailable or is stopped with a
/// checkpoint. Collective; rows are complete on rank 0, and verified on all.
Measured measure(Session& session, const Listener& listener = {},
                 const MachineProbes& machine = this_machine());

}  // namespace quartet::bench

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/measure/machine_watch.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// Functions that are called on every rank while a job is measured.
struct Listener {
    /// Before each run, and before its case is constructed: the index of the case in the plan, its
    /// runs so far, and their total, or 0 if --ci decides it.
    std::function<void(std::size_t index, int done, int total)> on_run = [](auto...) {};
    /// After each run: `rows_so_far`, which is local, returns all rows with their flags, in the
    /// plan's order. A case without a run has an error row.
    std::function<void(const std::function<std::vector<Row>()>& rows_so_far)> on_rows =
        [](const auto&) {};
};

/// The results of a job.
struct Measured {
    std::vector<Row> rows;  ///< in the plan's order, with their flags
    int rounds = 0;         ///< a round has one run of each case
    bool stopped = false;   ///< by a signal, before all runs were made
};

/// Runs the cases of the session's plan as the options say. The runs of cases whose data fit into
/// memory together take turns, so that a disturbed minute affects all alike: a round has one run of
/// each, and every other round takes them in reverse. A probe of its limit precedes each run, since
/// the memory rate of a shared machine changes within seconds.
///
/// When a signal asks any rank to stop, no further run begins: complete runs are kept, and a case
/// without a run becomes an error row. So do an unavailable case, and a case that stops with a
/// checkpoint. Collective; rows are complete on rank 0, their checks and errors on all ranks.
Measured measure(Session& session, const Listener& listener = {},
                 const MachineProbes& machine = this_machine());

}  // namespace quartet::bench

#pragma once

#include <functional>
#include <vector>

#include "bench/measure/case_runs.hpp"
#include "bench/measure/flag_rows.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/run_times.hpp"

namespace quartet::bench {

/// Measures one case alone, without repetitions. `on_run` as in Listener. Collective.
inline std::vector<Row> measure(Session& session, const PlannedCase& planned,
                                const std::function<void(int done, int total)>& on_run,
                                const MachineProbes& machine = this_machine()) {
    CaseRuns one(session, planned, empty_run(session), machine);
    one.begin();
    for (int round = 0; one.wants_run(); ++round) {
        on_run(one.runs(), one.planned_runs());
        one.run(round);
    }
    one.end();
    std::vector<Row> rows = one.rows();
    flag_rows(rows);
    return rows;
}

}  // namespace quartet::bench

#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/program/plan.hpp"

namespace quartet::bench {

/// Measures one case alone. `on_run` as in Listener. Collective.
inline std::vector<Row> measure(Session& session, PlannedCase planned,
                                const std::function<void(int done, int total)>& on_run,
                                const MachineProbes& machine = this_machine()) {
    std::vector<PlannedCase> plan = std::exchange(session.plan(), {});
    session.add(std::move(planned));
    find_needs(session);
    Listener listener;
    listener.on_run = [&on_run](std::size_t, int done, int total) { on_run(done, total); };
    std::vector<Row> rows = measure(session, listener, machine).rows;
    session.plan() = std::move(plan);
    return rows;
}

}  // namespace quartet::bench

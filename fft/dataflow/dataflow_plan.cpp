#include "fft/dataflow/dataflow_plan.hpp"

#include <algorithm>

#include "device/fft_factory.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

MemoryNeeds DataflowPlan::memory() const {
    const Bytes one_tile = bytes_of<double>(tile.parts_size());
    const Bytes all = bytes_of<Point>(input) + bytes_of<double>(discarded + message) +
                      merger.memory() + (outgoing + incoming) * one_tile + workspace + check;
    return {.host = all, .windows = in_place ? outgoing * one_tile : Bytes{}, .device = {}};
}

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles) {
    const int rank = session.world().rank();
    DataflowPlan plan{.transport = transport,
                      .problem = problem,
                      .roles = roles,
                      .role = roles.of(rank),
                      .tiles = {},
                      .tile = {1, problem.length(), 1, 0}};
    plan.in_place = session.registry().traits(transport).location == comm::PartLocation::at_sender;
    plan.message = plan.in_place ? 0 : plan.tile.parts_size();
    plan.check = Bytes{TransformCheck::memory(problem.points, session.threads())};
    if (plan.role == comm::Role::worker) {
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
        plan.input = plan.tiles.size() * problem.length();
        plan.outgoing = DataflowPlan::outgoing_tiles;
        plan.discarded = plan.tile.parts_size();
        plan.workspace = session.device().ffts().four_step_fft_memory(plan.tile);
    } else {
        const int most = DataflowPlan::outgoing_tiles * roles.workers();
        plan.merger = plan_merger(problem);
        plan.incoming = plan.in_place ? 0 : std::min(session.options().queue, most);
        plan.workspace = session.device().ffts().four_step_fft_memory(problem.shape(1, 0));
    }
    return plan;
}

}  // namespace quartet::fft

#include "fft/dataflow/dataflow_plan.hpp"

#include "device/fft_factory.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

namespace {

// Transformed tiles in a worker's memory: one is written, the others are under way.
constexpr int outgoing_tiles = 8;

}  // namespace

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles) {
    const int rank = session.world().rank();
    const device::FftFactory& ffts = session.device().ffts();
    DataflowPlan plan{.transport = transport,
                      .problem = problem,
                      .roles = roles,
                      .role = roles.of(rank),
                      .tiles = {},
                      .tile = {1, problem.length(), 1, 0}};
    const std::int64_t tile = plan.tile.parts_size();
    plan.queue = {.owner = roles.reducer_rank(0),
                  .pushers = roles.worker_ranks(),
                  .bound = session.options().queue,
                  .largest = bytes_of<double>(tile),
                  .order = flow::DequeueOrder::arrival,
                  .outgoing = outgoing_tiles};
    plan.probes_link =
        session.registry().traits(transport).location == comm::PartLocation::received;
    if (plan.role == comm::Role::worker) {
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
        plan.input = plan.memory.add<Point>(plan.tiles.size() * problem.length());
        plan.discarded = plan.memory.add<double>(tile);
        plan.memory.add(ffts.four_step_fft_memory(plan.tile), bench::Room::device);
    } else {
        MergerBuffers(plan.memory, problem);
        plan.memory.add(ffts.four_step_fft_memory(problem.shape(1, 0)), bench::Room::device);
    }
    plan.memory.add<double>(plan.probes_link ? tile : 0);
    plan.memory.add(
        flow::queue_memory(plan.queue, bench::operation_memory(session, transport), rank));
    plan.memory.add(TransformCheck::memory(problem.points, session.threads()), bench::Room::host);
    return plan;
}

comm::RankTraffic traffic_of(const DataflowPlan& plan) {
    comm::RankTraffic traffic;
    traffic.payloads.resize(static_cast<std::size_t>(plan.roles.ranks()));
    traffic.payloads[static_cast<std::size_t>(plan.queue.owner)] =
        plan.tiles.size() * plan.queue.largest.value;
    return traffic;
}

}  // namespace quartet::fft

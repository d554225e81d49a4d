#include "fft/dataflow/dataflow_plan.hpp"

#include <algorithm>

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "fft/problem/tile_loader.hpp"
#include "fft/problem/verify.hpp"

namespace quartet::fft {

namespace {

// Transformed tiles in a worker's memory: one is written, the others are under way.
constexpr int outgoing_tiles = 8;

void count_worker(bench::Arena& arena, bench::Session& session, const DataflowPlan& plan) {
    const device::Device& device = session.device();
    const Bytes tile = bytes_of<Point>(plan.problem.length());
    const WorkerBuffers buffers(arena, plan);
    if (plan.data.in_files()) {
        TileLoader::staging(arena, plan.problem.length(), device.memory_kind());
    }
    arena.count(device.ffts().four_step_fft_memory(plan.tile), bench::Room::device);
    arena.count(device::HostAccess::memory(tile, device.memory_kind()), bench::Room::host);
}

void count_merger(bench::Arena& arena, bench::Session& session, const DataflowPlan& plan) {
    const device::Device& device = session.reducer_device();
    const Bytes all = bytes_of<Point>(plan.problem.points);
    const bench::Room room = merger_room(session);
    const MergerBuffers buffers(arena, plan.problem, room);
    arena.count(device.ffts().four_step_fft_memory(plan.problem.shape(1, 0)), room);
    arena.count(device::HostAccess::memory(all, device.memory_kind()), bench::Room::host);
}

}  // namespace

WorkerBuffers::WorkerBuffers(bench::Arena& arena, const DataflowPlan& plan)
    : input(arena.make<Point>(plan.tiles.size() * plan.problem.length())),
      discarded(arena.make<double>(plan.tile.parts_size())),
      staged(arena.make<double>(plan.copies ? staged_tiles * plan.tile.parts_size() : 0)) {}

bench::Room merger_room(bench::Session& session) {
    return device::has_own_memory(session.device()) ? bench::Room::host : bench::Room::device;
}

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data) {
    const int rank = session.world().rank();
    DataflowPlan plan{.transport = transport,
                      .problem = problem,
                      .data = data,
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
        bench::operation_memory(session, transport).payloads_travel(comm::PayloadPlace::host);
    if (plan.role == comm::Role::worker) {
        plan.copies = device::has_own_memory(session.device());
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
    }
    return plan;
}

bench::Arena memory_of(bench::Session& session, const DataflowPlan& plan) {
    bench::Arena arena;
    if (plan.role == comm::Role::worker) {
        count_worker(arena, session, plan);
    } else {
        count_merger(arena, session, plan);
    }
    if (plan.probes_link) {
        arena.count(plan.queue.largest, bench::Room::host);
    }
    arena.count(flow::queue_memory(plan.queue, bench::operation_memory(session, plan.transport),
                                   session.world().rank()));
    arena.count(TransformCheck::memory(plan.problem.points, session.threads()), bench::Room::host);
    return arena;
}

comm::RankTraffic traffic_of(const DataflowPlan& plan) {
    comm::RankTraffic traffic;
    const std::int64_t bytes = plan.tiles.size() * plan.queue.largest.value;
    traffic.payloads.resize(static_cast<std::size_t>(plan.roles.ranks()));
    traffic.payloads[static_cast<std::size_t>(plan.queue.owner)] = bytes;
    if (plan.copies) {
        traffic.copied_out = bytes;
    }
    return traffic;
}

}  // namespace quartet::fft

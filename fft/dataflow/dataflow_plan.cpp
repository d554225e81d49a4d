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

// Adds what a worker, or the merger, needs of its device, and what lets the CPU see it.
void plan_worker(DataflowPlan& plan, bench::Session& session) {
    const device::Device& device = session.device();
    const std::int64_t tile = plan.tile.parts_size();
    plan.tiles =
        plan.problem.shape(plan.roles.workers(), plan.roles.index_of(session.world().rank()))
            .my_tiles();
    plan.input = plan.memory.add<Point>(plan.tiles.size() * plan.problem.length());
    if (plan.data.in_files()) {
        plan.read = plan.memory.add<Point>(
            TileLoader::staged_points(plan.problem.length(), device.memory_kind()),
            bench::Room::host);
    }
    plan.discarded = plan.memory.add<double>(tile);
    plan.memory.add(device.ffts().four_step_fft_memory(plan.tile), bench::Room::device);
    if (device::has_own_memory(device) && plan.queue.place == comm::PayloadPlace::host) {
        plan.staged = plan.memory.add<double>(staged_tiles * tile);
    }
    if (plan.checkpoint.wanted() && plan.queue.place == comm::PayloadPlace::gpu) {
        plan.kept = plan.memory.add<double>(tile, bench::Room::host);
    }
    plan.memory.add(
        device::HostAccess::memory(bytes_of<Point>(plan.problem.length()), device.memory_kind()),
        bench::Room::host);
}

void plan_merger(DataflowPlan& plan, bench::Session& session) {
    const device::Device& device = session.reducer_device();
    const std::int64_t tile = plan.tile.parts_size();
    const bench::Room room = merger_room(session);
    MergerBuffers(plan.memory, plan.problem, room);
    if (plan.queue.place == comm::PayloadPlace::gpu) {
        plan.memory.add<double>(0, bench::Room::device_window);  // it has no outgoing tiles
    }
    plan.memory.add(device.ffts().four_step_fft_memory(plan.problem.shape(1, 0)), room);
    if (device::has_own_memory(device) && plan.queue.place == comm::PayloadPlace::host) {
        plan.staged = plan.memory.add<double>(staged_tiles * tile);
        plan.copied = plan.memory.add<double>(tile, bench::Room::host);
    }
    plan.memory.add(
        device::HostAccess::memory(bytes_of<Point>(plan.problem.points), device.memory_kind()),
        bench::Room::host);
}

}  // namespace

bench::Room merger_room(bench::Session& session) {
    return device::has_own_memory(session.device()) &&
                   !device::has_own_memory(session.reducer_device())
               ? bench::Room::host
               : bench::Room::device;
}

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data,
                           const bench::CheckpointOptions& checkpoint) {
    const int rank = session.world().rank();
    DataflowPlan plan{.transport = transport,
                      .problem = problem,
                      .data = data,
                      .checkpoint = checkpoint,
                      .roles = roles,
                      .role = roles.of(rank),
                      .tiles = {},
                      .tile = {1, problem.length(), 1, 0}};
    const std::int64_t tile = plan.tile.parts_size();
    const comm::PayloadPlace place =
        session.registry().traits(transport).payload_place(session.reducer_device().memory_kind());
    plan.queue = {.owner = roles.reducer_rank(0),
                  .pushers = roles.worker_ranks(),
                  .bound = session.options().queue,
                  .largest = bytes_of<double>(tile),
                  .order = flow::DequeueOrder::arrival,
                  .outgoing = outgoing_tiles,
                  .place = place};
    const comm::OperationMemory operations = bench::operation_memory(session, transport);
    plan.probes_link = operations.payloads_travel(place);
    if (plan.role == comm::Role::worker) {
        plan_worker(plan, session);
    } else {
        plan_merger(plan, session);
    }
    if (plan.probes_link) {
        plan.memory.add(plan.queue.largest,
                        place == comm::PayloadPlace::gpu ? bench::Room::device : bench::Room::host);
    }
    if (checkpoint.wanted()) {  // a tile that is taken over
        plan.memory.add(plan.queue.largest, bench::Room::host);
    }
    plan.memory.add(flow::queue_memory(plan.queue, operations, rank));
    plan.memory.add(TransformCheck::memory(problem.points, session.threads()), bench::Room::host);
    return plan;
}

comm::RankTraffic traffic_of(const DataflowPlan& plan) {
    comm::RankTraffic traffic;
    const bool on_gpus = plan.queue.place == comm::PayloadPlace::gpu;
    auto& sent = on_gpus ? traffic.sent : traffic.payloads;
    sent.resize(static_cast<std::size_t>(plan.roles.ranks()));
    sent[static_cast<std::size_t>(plan.queue.owner)] = plan.tiles.size() * plan.queue.largest.value;
    if (plan.copies()) {
        const bool works = plan.role == comm::Role::worker;
        (works ? traffic.copied_out : traffic.copied_in) =
            (works ? plan.tiles.size() : plan.problem.tiles) * plan.queue.largest.value;
    }
    return traffic;
}

}  // namespace quartet::fft

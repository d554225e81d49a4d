#include "fft/native/native_plan.hpp"

#include <algorithm>

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "fft/problem/tile_loader.hpp"
#include "fft/problem/transform_limit.hpp"
#include "fft/problem/verify.hpp"

namespace quartet::fft {

namespace {

Algorithm single_rank_algorithm(bench::Session& session, const device::FourStepFft& shape,
                                Bytes workspace) {
    if (session.gpus().empty()) {
        return Algorithm::single_rank;
    }
    const Bytes beside = 2 * bytes_of<Point>(shape.points()) + workspace;
    const Bytes free = session.gpus().memory_share();
    const Bytes allowed = session.options().device_memory.value_or(free);
    return beside <= std::min(free, allowed) ? Algorithm::single_rank
                                             : Algorithm::single_rank_in_place;
}

// What the two exchanges bring this rank.
Bytes received_bytes(const NativePlan& plan) {
    Bytes received;
    for (int from = 0; from < plan.shape.ranks; ++from) {
        received = received + bytes_of<double>(plan.shape.part_size(from, plan.shape.rank));
    }
    return plan.algorithm == Algorithm::natural ? received + bytes_of<Point>(plan.result.count)
                                                : received;
}

void plan_four_step(NativePlan& plan, bench::Session& session) {
    const device::FourStepFft& shape = plan.shape;
    // On one rank the transposed bins are in natural order.
    const bool natural = plan.problem.order == ResultOrder::natural && shape.ranks > 1;
    plan.algorithm = natural ? Algorithm::natural : Algorithm::transposed;
    plan.parts = plan.memory.add<double>(shape.parts_size(), bench::Room::device_window);
    plan.bins =
        plan.memory.add<Point>(natural ? shape.output_points() : 0, bench::Room::device_window);
    plan.result =
        plan.memory.add<Point>(natural ? block_range(shape.points(), shape.ranks, shape.rank).size()
                                       : shape.output_points());
    plan.memory.add(session.device().ffts().four_step_fft_memory(shape), bench::Room::device);
    if (shape.ranks > 1) {
        plan.memory.add(
            bench::operation_memory(session, plan.transport).exchange(received_bytes(plan)),
            bench::Room::device);
    }
    TransformLimit::plan(plan.memory, plan.problem, shape.ranks);
}

}  // namespace

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    const device::MemoryKind kind = session.device().memory_kind();
    NativePlan plan;
    plan.transport = transport;
    plan.problem = problem;
    plan.data = data;
    plan.shape = problem.shape(session.world().size(), session.world().rank());
    plan.input = plan.memory.add<Point>(plan.shape.input_points());
    if (const auto workspace = session.device().ffts().single_rank_fft_memory(plan.shape)) {
        plan.algorithm = single_rank_algorithm(session, plan.shape, *workspace);
        plan.result = plan.memory.add<Point>(
            plan.algorithm == Algorithm::single_rank ? plan.shape.points() : 0);
        plan.memory.add(*workspace, bench::Room::device);
    } else {
        plan_four_step(plan, session);
    }
    plan.staging = plan.memory.add<Point>(
        data.in_files() ? TileLoader::staged_points(plan.shape.length, kind) : 0,
        bench::Room::host);
    plan.memory.add(TransformCheck::memory(problem.points, session.threads()), bench::Room::host);
    const Bytes largest = bytes_of<Point>(std::max(plan.input.count, plan.result.count));
    plan.memory.add(device::HostAccess::memory(largest, kind), bench::Room::host);
    return plan;
}

NativePlan plan_device_library(bench::Session& session, const std::string& transport,
                               const Problem& problem) {
    Problem whole = problem;
    whole.tiles = 1;
    NativePlan plan = plan_native(session, transport, whole, {});
    if (plan.algorithm == Algorithm::single_rank) {
        plan.algorithm = Algorithm::library;
    }
    return plan;
}

std::vector<std::int64_t> sent_bytes(const NativePlan& plan) {
    const device::FourStepFft& shape = plan.shape;
    std::vector<std::int64_t> sent;
    for (int to = 0; to < shape.ranks; ++to) {
        Bytes bytes = bytes_of<double>(shape.part_size(shape.rank, to));
        if (plan.algorithm == Algorithm::natural) {
            bytes = bytes + bytes_of<Point>(device::natural_part_points(shape, shape.rank, to));
        }
        sent.push_back(to == shape.rank ? 0 : bytes.value);
    }
    return sent;
}

bool has_room_for_one_tile(bench::Session& session, const Problem& problem) {
    const device::FourStepFft shape{1, problem.points, session.world().size(),
                                    session.world().rank()};
    const auto workspace = session.device().ffts().single_rank_fft_memory(shape);
    return workspace && !session.gpus().empty() &&
           single_rank_algorithm(session, shape, *workspace) == Algorithm::single_rank;
}

}  // namespace quartet::fft

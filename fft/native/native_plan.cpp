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

// The bytes that the two exchanges bring this rank.
Bytes received_bytes(const NativePlan& plan) {
    Bytes received;
    for (int from = 0; from < plan.shape.ranks; ++from) {
        received = received + bytes_of<double>(plan.shape.part_size(from, plan.shape.rank));
    }
    return plan.algorithm == Algorithm::natural ? received + bytes_of<Point>(plan.result_points())
                                                : received;
}

}  // namespace

std::int64_t NativePlan::result_points() const {
    return algorithm == Algorithm::transposed
               ? shape.output_points()
               : block_range(shape.points(), shape.ranks, shape.rank).size();
}

NativeBuffers::NativeBuffers(bench::Arena& arena, const NativePlan& plan)
    : result(arena.make<Point>(plan.in_place() ? 0 : plan.result_points())) {
    if (plan.has_four_steps()) {
        parts = arena.make<double>(plan.shape.parts_size(), bench::Room::device_window);
    }
    if (plan.algorithm == Algorithm::natural) {
        bins = arena.make<Point>(plan.shape.output_points(), bench::Room::device_window);
    }
}

bench::Arena memory_of(bench::Session& session, const NativePlan& plan) {
    const device::MemoryKind kind = session.device().memory_kind();
    device::FftFactory& ffts = session.device().ffts();
    bench::Arena arena;
    const auto input = arena.make<Point>(plan.shape.input_points());
    const NativeBuffers buffers(arena, plan);
    if (plan.has_four_steps()) {
        arena.count(ffts.four_step_fft_memory(plan.shape), bench::Room::device);
        if (plan.shape.ranks > 1) {
            arena.count(
                bench::operation_memory(session, plan.transport).exchange(received_bytes(plan)),
                bench::Room::device);
        }
        TransformLimit::count(arena, plan.problem, plan.shape.ranks);
    } else {
        arena.count(ffts.single_rank_fft_memory(plan.shape).value(), bench::Room::device);
    }
    if (plan.data.in_files()) {
        TileLoader::staging(arena, plan.shape.length, kind);
    }
    arena.count(TransformCheck::memory(plan.problem.points, session.threads()), bench::Room::host);
    const Bytes largest = bytes_of<Point>(std::max(input.size(), buffers.result.size()));
    arena.count(device::HostAccess::memory(largest, kind), bench::Room::host);
    return arena;
}

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    NativePlan plan;
    plan.transport = transport;
    plan.problem = problem;
    plan.data = data;
    plan.shape = problem.shape(session.world().size(), session.world().rank());
    if (const auto workspace = session.device().ffts().single_rank_fft_memory(plan.shape)) {
        plan.algorithm = single_rank_algorithm(session, plan.shape, *workspace);
    } else {
        // On one rank the transposed bins are in natural order.
        const bool natural = problem.order == ResultOrder::natural && plan.shape.ranks > 1;
        plan.algorithm = natural ? Algorithm::natural : Algorithm::transposed;
    }
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

bool transforms_one_tile(bench::Session& session, const Problem& problem) {
    const device::FourStepFft shape{1, problem.points, session.world().size(),
                                    session.world().rank()};
    const auto workspace = session.device().ffts().single_rank_fft_memory(shape);
    return workspace && single_rank_algorithm(session, shape, *workspace) == Algorithm::single_rank;
}

}  // namespace quartet::fft

#include "fft/native/native_plan.hpp"

#include <algorithm>

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "fft/native/input_tiles.hpp"
#include "fft/transform_limit.hpp"
#include "fft/verify.hpp"

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
    return plan.algorithm == Algorithm::natural ? received + bytes_of<Point>(plan.result)
                                                : received;
}

void plan_four_step(NativePlan& plan, bench::Session& session) {
    const device::FourStepFft& shape = plan.shape;
    // On one rank the transposed bins are in natural order.
    const bool natural = plan.problem.order == ResultOrder::natural && shape.ranks > 1;
    plan.algorithm = natural ? Algorithm::natural : Algorithm::transposed;
    plan.parts = shape.parts_size();
    plan.bins = natural ? shape.output_points() : 0;
    plan.result = natural ? block_range(shape.points(), shape.ranks, shape.rank).size()
                          : shape.output_points();
    plan.workspace = session.device().ffts().four_step_fft_memory(shape);
    const comm::TransportTraits& transport = session.registry().traits(plan.transport);
    plan.in_windows = transport.windows.has_value();
    if (shape.ranks > 1 && transport.location == comm::PartLocation::received) {
        plan.received = received_bytes(plan);
    }
    plan.probe = TransformLimit::exchanged_bytes(plan.problem, shape.ranks);
}

}  // namespace

MemoryNeeds NativePlan::memory() const {
    const Bytes from_transport = bytes_of<double>(parts) + bytes_of<Point>(bins) + probe;
    const Bytes of_device = bytes_of<Point>(input) + bytes_of<Point>(result) + from_transport +
                            received + probe + workspace;
    const Bytes of_host = host_work + bytes_of<Point>(staging);
    if (kind == device::MemoryKind::device) {
        return {.host = of_host, .windows = {}, .device = of_device};
    }
    return {.host = of_device + of_host,
            .windows = in_windows ? from_transport : Bytes{},
            .device = {}};
}

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    device::Device& device = session.device();
    NativePlan plan;
    plan.transport = transport;
    plan.problem = problem;
    plan.data = data;
    plan.shape = problem.shape(session.world().size(), session.world().rank());
    plan.kind = device.memory_kind();
    plan.input = plan.shape.input_points();
    if (const auto workspace = device.ffts().single_rank_fft_memory(plan.shape)) {
        plan.algorithm = single_rank_algorithm(session, plan.shape, *workspace);
        plan.result = plan.algorithm == Algorithm::single_rank ? plan.shape.points() : 0;
        plan.workspace = *workspace;
    } else {
        plan_four_step(plan, session);
    }
    plan.staging = data.in_files() ? staged_points(plan.shape.length, plan.kind) : 0;
    const Bytes largest = bytes_of<Point>(std::max(plan.input, plan.result));
    plan.host_work = Bytes{TransformCheck::memory(problem.points, session.threads())} +
                     device::HostAccess::memory(largest, plan.kind);
    return plan;
}

bool has_room_for_one_tile(bench::Session& session, const Problem& problem) {
    const device::FourStepFft shape{1, problem.points, session.world().size(),
                                    session.world().rank()};
    const auto workspace = session.device().ffts().single_rank_fft_memory(shape);
    return workspace && !session.gpus().empty() &&
           single_rank_algorithm(session, shape, *workspace) == Algorithm::single_rank;
}

}  // namespace quartet::fft

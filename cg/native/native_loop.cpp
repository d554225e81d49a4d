#include "cg/native/native_loop.hpp"

#include <utility>

namespace quartet::cg {

NativeLoop::Buffers::Buffers(bench::Arena& arena, const RankContext& context,
                             const Problem& problem) {
    const std::int64_t rows = block_range(problem.size, context.ranks(), context.rank()).size();
    sums = arena.make<double>(JointSums::most, bench::Room::host);
    x = arena.make<double>(rows);
    if (problem.algorithm == Algorithm::single_reduction) {
        p = arena.make<double>(rows);
        s = arena.make<double>(rows);
    }
    if (context.ranks() == 1) {
        resident.emplace(arena);
    }
}

NativeLoop::NativeLoop(const RankContext& context, comm::Transport& transport,
                       const Problem& problem, int sum_of_product)
    : CgLoop(context, transport, problem),
      buffers_(arena_, context, problem),
      matrix_(context, arena_, transport, problem, buffers_.sums.view().part(sum_of_product, 1)),
      sums_(context, buffers_.sums.view(), transport) {
    state_.solution = buffers_.x.view();
    state_.residual = matrix_.residual();
}

void NativeLoop::make_resident(const DeviceResidentCg::MakeIterations& make,
                               DeviceResidentCg::Leaves leaves) {
    if (buffers_.resident) {
        resident_.emplace(context_, std::move(*buffers_.resident), make, leaves, name_);
    }
}

std::vector<double> NativeLoop::gather(device::View<const double> rows) {
    return on_host(matrix_.gather(rows));
}

}  // namespace quartet::cg

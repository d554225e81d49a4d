#include "cg/native/device_resident_cg.hpp"

#include <algorithm>
#include <utility>

namespace quartet::cg {

DeviceResidentCg::Buffers::Buffers(bench::BufferPlan& plan)
    : scalars(plan.add<device::CgScalars>(1)),
      history(plan.add<double>(most + 1)),
      seen_scalars(plan.add<device::CgScalars>(1, bench::Room::host)),
      seen_history(plan.add<double>(most + 1, bench::Room::host)) {}

DeviceResidentCg::DeviceResidentCg(const RankContext& context, const Buffers& buffers,
                                   const Enqueue& iteration, Leaves leaves, std::string matrix)
    : context_(context),
      first_element_(leaves == Leaves::after ? 1 : 0),
      matrix_(std::move(matrix)),
      scalars_(allocate(buffers.scalars, context.device)),
      history_(allocate(buffers.history, context.device)),
      seen_scalars_(allocate(buffers.seen_scalars, context.device)),
      seen_history_(allocate(buffers.seen_history, context.device)) {
    iteration_ =
        context.device.record([iteration, scalars = scalars_.view(), history = history_.view()](
                                  device::Stream& stream) { iteration(scalars, history, stream); });
}

template <typename T>
void DeviceResidentCg::copy(device::View<T> from, device::View<T> to) {
    context_.device.copy(device::as_bytes(device::View<const T>(from)), device::as_bytes(to),
                         context_.stream);
}

double DeviceResidentCg::run(IterationState& state, double sum, std::span<double> history) {
    device::CgScalars& seen = seen_scalars_.span().front();
    seen = {.sum = sum, .residual_dot = state.residual_dot, .alpha = state.alpha};
    const std::int64_t all = std::ssize(history) - 1;
    while (state.done < all) {
        run_some(state, std::min(most, all - state.done), history);
    }
    return seen.sum;
}

void DeviceResidentCg::run_some(IterationState& state, std::int64_t count,
                                std::span<double> history) {
    device::CgScalars& seen = seen_scalars_.span().front();
    seen.done = 0;  // of these
    copy(seen_scalars_.view(), scalars_.view());
    for (std::int64_t iteration = 0; iteration < count; ++iteration) {
        iteration_->run(context_.stream);
    }
    copy(scalars_.view(), seen_scalars_.view());
    copy(history_.view(), seen_history_.view());
    context_.stream.synchronize();
    if (seen.failed_at >= 0) {
        alpha_of(seen.failed_residual_dot, seen.failed_curvature, state.done + seen.failed_at,
                 matrix_);
    }
    std::copy_n(seen_history_.span().begin() + first_element_, count,
                history.begin() + state.done + first_element_);
    state.residual_dot = seen.residual_dot;
    state.alpha = seen.alpha;
    state.done += count;
}

}  // namespace quartet::cg

#include "cg/native/device_resident_cg.hpp"

#include <algorithm>
#include <utility>

namespace quartet::cg {

DeviceResidentCg::DeviceResidentCg(bench::Session& session, const Enqueue& iteration, Leaves leaves,
                                   std::string matrix)
    : session_(session),
      first_place_(leaves == Leaves::after ? 1 : 0),
      matrix_(std::move(matrix)),
      scalars_(device::allocate<device::CgScalars>(session.device(), 1)),
      history_(device::allocate<double>(session.device(), most + 1)),
      seen_scalars_(
          device::allocate<device::CgScalars>(session.device(), 1, device::MemoryKind::pinned)),
      seen_history_(
          device::allocate<double>(session.device(), most + 1, device::MemoryKind::pinned)) {
    iteration_ = session.device().record(
        [iteration, scalars = scalars_.view(), history = history_.view()](device::Stream& stream) {
            iteration(scalars, history, stream);
        });
}

template <typename T>
void DeviceResidentCg::copy(device::View<T> from, device::View<T> to) {
    session_.device().copy(device::as_bytes(device::View<const T>(from)), device::as_bytes(to),
                           session_.stream());
}

double DeviceResidentCg::run(IterationState& state, double sum, std::span<double> history) {
    device::CgScalars& seen = seen_scalars_.span().front();
    seen = {.sum = sum, .residual_dot = state.residual_dot, .step = state.step};
    const std::int64_t all = std::ssize(history) - 1;
    while (state.done < all) {
        run_some(state, std::min(most, all - state.done), history);
    }
    return seen.sum;
}

void DeviceResidentCg::run_some(IterationState& state, std::int64_t count,
                                std::span<double> history) {
    device::Stream& stream = session_.stream();
    device::CgScalars& seen = seen_scalars_.span().front();
    seen.done = 0;  // of these
    copy(seen_scalars_.view(), scalars_.view());
    for (std::int64_t iteration = 0; iteration < count; ++iteration) {
        iteration_->run(stream);
    }
    copy(scalars_.view(), seen_scalars_.view());
    copy(history_.view(), seen_history_.view());
    stream.synchronize();
    if (seen.failed_at >= 0) {
        step_length(seen.failed_residual_dot, seen.failed_curvature, state.done + seen.failed_at,
                    matrix_);
    }
    std::copy_n(seen_history_.span().begin() + first_place_, count,
                history.begin() + state.done + first_place_);
    state.residual_dot = seen.residual_dot;
    state.step = seen.step;
    state.done += count;
}

Bytes DeviceResidentCg::memory() {
    return 2 * (bytes_of<double>(most + 1) + bytes_of<device::CgScalars>(1));
}

}  // namespace quartet::cg

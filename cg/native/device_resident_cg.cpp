#include "cg/native/device_resident_cg.hpp"

#include <algorithm>
#include <utility>

namespace quartet::cg {

DeviceResidentCg::Buffers::Buffers(bench::Arena& arena)
    : scalars(arena.make<device::CgScalars>(1)),
      history(arena.make<double>(most + 1)),
      seen_scalars(arena.make<device::CgScalars>(1, bench::Room::host)),
      seen_history(arena.make<double>(most + 1, bench::Room::host)) {}

DeviceResidentCg::DeviceResidentCg(const RankContext& context, Buffers buffers,
                                   const MakeIterations& make, Leaves leaves, std::string matrix)
    : context_(context),
      buffers_(std::move(buffers)),
      first_element_(leaves == Leaves::after ? 1 : 0),
      matrix_(std::move(matrix)),
      iterations_(make(buffers_.scalars.view(), buffers_.history.view())),
      next_(context.device.record(iterations_.next)),
      several_(context.device.record([next = iterations_.next](device::Stream& stream) {
          for (std::int64_t iteration = 0; iteration < of_graph; ++iteration) {
              next(stream);
          }
      })) {}

template <typename T>
void DeviceResidentCg::copy(device::View<T> from, device::View<T> to) {
    context_.device.copy(device::as_bytes(device::View<const T>(from)), device::as_bytes(to),
                         context_.stream);
}

double DeviceResidentCg::run(IterationState& state, double sum, std::span<double> history) {
    device::CgScalars& seen = buffers_.seen_scalars.span().front();
    seen = {.sum = sum, .residual_dot = state.residual_dot, .alpha = state.alpha};
    const std::int64_t all = std::ssize(history) - 1;
    while (state.done < all) {
        seen.done = 0;  // of these
        copy(buffers_.seen_scalars.view(), buffers_.scalars.view());
        const std::int64_t count = std::min(most, all - state.done);
        iterations_.first(context_.stream);
        std::int64_t left = count - 1;
        for (; left >= of_graph; left -= of_graph) {
            several_(context_.stream);
        }
        for (; left > 0; --left) {
            next_(context_.stream);
        }
        iterations_.last(context_.stream);
        take_over(state, count, history);
    }
    return seen.sum;
}

// Waits for `count` iterations, and takes over the values that they left on the device.
void DeviceResidentCg::take_over(IterationState& state, std::int64_t count,
                                 std::span<double> history) {
    copy(buffers_.scalars.view(), buffers_.seen_scalars.view());
    copy(buffers_.history.view(), buffers_.seen_history.view());
    context_.stream.synchronize();
    const device::CgScalars& seen = buffers_.seen_scalars.span().front();
    if (seen.failed_at >= 0) {
        alpha_of(seen.failed_residual_dot, seen.failed_curvature, state.done + seen.failed_at,
                 matrix_);
    }
    std::copy_n(buffers_.seen_history.span().begin() + first_element_, count,
                history.begin() + state.done + first_element_);
    state.residual_dot = history[static_cast<std::size_t>(state.done + first_element_ + count - 1)];
    state.alpha = seen.alpha;
    state.done += count;
}

}  // namespace quartet::cg

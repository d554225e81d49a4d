#include "cg/iteration.hpp"

#include <fmt/format.h>

#include "device/cg_scalars.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

void ClassicLoop::restart(device::View<const double> right_side) {
    device_.vectors().fill(0.0, state_.solution, stream_);
    device_.copy(device::as_bytes(right_side), device::as_bytes(state_.residual), stream_);
    device_.copy(device::as_bytes(right_side), device::as_bytes(state_.direction), stream_);
    state_.alpha = 0;
    state_.done = 0;
}

void ClassicLoop::run(std::span<double> history, Observer& observer) {
    if (state_.done == 0) {
        find_first_residual();
    }
    const auto last = std::ssize(history) - 1;
    history[static_cast<std::size_t>(state_.done)] = state_.residual_dot;
    for (Next next = Next::go_on; next == Next::go_on && state_.done < last;) {
        const bool stop = iterate(observer.wants_stop());
        ++state_.done;
        const auto count = static_cast<std::size_t>(state_.done);
        history[count] = state_.residual_dot;
        next = observer.after(state_, history.first(count), stop);
    }
}

double alpha_of(double residual_dot, double curvature, std::int64_t iteration,
                const std::string& matrix) {
    if (!device::are_of_positive_definite(residual_dot, curvature)) {
        throw Failure(fmt::format(
            "{} is not positive definite (p.Ap = {:.3g}, r.r = {:.3g} in iteration {}): conjugate "
            "gradients need a symmetric positive definite matrix",
            matrix, curvature, residual_dot, iteration + 1));
    }
    return device::alpha_of(residual_dot, curvature);
}

Next IterationClock::after(const IterationState& /*state*/, std::span<const double> /*history*/,
                           bool /*stop*/) {
    if (seconds_.size() < seconds_.capacity()) {  // a timed step allocates nothing
        const Seconds end = now();
        seconds_.push_back((end - last_).value);
        last_ = end;
    }
    return Next::go_on;
}

}  // namespace quartet::cg

#include "cg/problem/loop.hpp"

#include <fmt/format.h>

#include <utility>

#include "device/cg_scalars.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

CgLoop::CgLoop(const RankContext& context, comm::Transport& transport, Problem problem)
    : context_(context),
      device_(context.device),
      stream_(context.stream),
      problem_(std::move(problem)),
      name_(problem_.title()),
      arena_(device_, transport) {}

void CgLoop::restart(device::View<const double> right_side) {
    const auto begin_with_right_side = [&](const device::View<double>& vector) {
        device_.copy(device::as_bytes(right_side), device::as_bytes(vector), stream_);
    };
    begin_with_right_side(state_.residual);
    device_.vectors().fill(0.0, state_.solution, stream_);
    if (problem_.algorithm == Algorithm::classic) {
        begin_with_right_side(state_.direction);
    } else {
        device_.vectors().fill(0.0, state_.direction, stream_);
        device_.vectors().fill(0.0, state_.direction_product, stream_);
    }
    state_.residual_dot = 0;
    state_.alpha = 0;
    state_.done = 0;
}

std::unique_ptr<Limit> CgLoop::make_limit() {
    return std::make_unique<Limit>(context_, problem_, share(), state_.solution.size());
}

std::vector<double> CgLoop::on_host(device::View<const double> vector) {
    auto host = device::allocate<double>(device_, vector.size(), device::MemoryKind::pinned);
    device_.copy(device::as_bytes(vector), device::as_bytes(host.view()), stream_);
    stream_.synchronize();
    return {host.span().begin(), host.span().end()};
}

void ClassicLoop::run(std::span<double> history, Observer& observer) {
    if (state_.done == 0) {
        find_first_residual();
    }
    const auto note_residual = [&] {
        history[static_cast<std::size_t>(state_.done)] = state_.residual_dot;
    };
    note_residual();
    for (bool going = state_.done + 1 < std::ssize(history); going;) {
        const bool stop = iterate(observer.wants_stop());
        going = goes_on(history, observer, stop);
        note_residual();
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

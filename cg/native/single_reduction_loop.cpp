#include "cg/native/single_reduction_loop.hpp"

#include "device/cg_kernels.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

SingleReductionLoop::SingleReductionLoop(const RankContext& context, comm::Transport& transport,
                                         const Problem& problem)
    : NativeLoop(context, transport, problem, 1) {
    state_.direction = buffers_.p.view();
    state_.direction_product = buffers_.s.view();
    make_resident(
        [this](auto scalars, auto history) { return resident_iteration(scalars, history); },
        DeviceResidentCg::Leaves::before);
}

// One iteration of run(), with the scalars in memory.
device::Operations SingleReductionLoop::resident_iteration(device::View<device::CgScalars> scalars,
                                                           device::View<double> history) {
    return [this, scalars, history](device::Stream& stream) {
        using device::CgScalars;
        const auto& [x, r, p, s, residual_dot, last_alpha, done] = state_;
        const device::View<double> w = matrix_.output();
        const device::View<const double> alpha = scalar_of(scalars, &CgScalars::alpha);
        const device::View<const double> beta = scalar_of(scalars, &CgScalars::beta);
        matrix_.share().multiply(r, w, stream);
        device_.vectors().dot(r, w, scalar_of(scalars, &CgScalars::product_dot), stream);
        device_.cg_kernels().update_alpha_beta(scalars, history, stream);
        device_.cg_kernels().update_single_reduction(beta, alpha, {p, s, w, x, r},
                                                     scalar_of(scalars, &CgScalars::sum), stream);
    };
}

// The state keeps r.r before the last update; that after it is this rank's share in sums_.
void SingleReductionLoop::run(std::span<double> history, Observer& observer) {
    auto& [x, r, p, s, residual_dot, alpha, done] = state_;
    // After a saved state: the same bits as the last update's sum.
    device_.vectors().dot(r, r, sums_.share(0), stream_);
    if (resident_ && !observer.observes_iterations()) {
        history.back() = resident_->run(state_, sums_.sum<1>().sums[0], history);
        return;
    }
    for (bool going = done + 1 < std::ssize(history); going;) {
        const bool wants_stop = observer.wants_stop();
        matrix_.gather();
        matrix_.multiply_and_dot();
        const auto [sums, stop] = sums_.sum<2>(wants_stop);
        const auto [dot, product_dot] = sums;
        const auto [beta, curvature] = device::curvature_of(
            device::beta_of(dot, residual_dot, alpha), dot, product_dot, alpha);
        alpha = alpha_of(dot, curvature, done, name_);
        device_.cg_kernels().update_single_reduction(beta, alpha, {p, s, matrix_.output(), x, r},
                                                     sums_.share(0), stream_);
        residual_dot = dot;
        history[static_cast<std::size_t>(done)] = dot;
        going = goes_on(history, observer, stop);
    }
    history[static_cast<std::size_t>(done)] = sums_.sum<1>().sums[0];
}

}  // namespace quartet::cg

#include "cg/native/native_classic_loop.hpp"

#include <optional>

#include "device/cg_kernels.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

NativeClassicLoop::NativeClassicLoop(const RankContext& context, comm::Transport& transport,
                                     const Problem& problem)
    : NativeLoop(context, transport, problem, 0) {
    state_.direction = matrix_.multiplied().part(matrix_.rows().begin, matrix_.rows().size());
    make_resident(
        [this](auto scalars, auto history) { return resident_iterations(scalars, history); },
        DeviceResidentCg::Leaves::after);
}

// The iterations of run(), with the scalars in memory.
DeviceResidentCg::Iterations NativeClassicLoop::resident_iterations(
    device::View<device::CgScalars> scalars, device::View<double> history) {
    if (device::ClassicIteration* own = matrix_.share().classic_iteration()) {
        const device::ResidentCg cg{state_.direction, state_.solution, state_.residual, scalars,
                                    history};
        const auto from = [own, cg](device::DirectionOf direction) {
            return [own, cg, direction](device::Stream& stream) {
                own->iterate(cg, direction, stream);
            };
        };
        return {from(device::DirectionOf::state), from(device::DirectionOf::residual),
                [own, cg](device::Stream& stream) { own->finish(cg, stream); }};
    }
    const auto each = [this, scalars, history](device::Stream& stream) {
        using device::CgScalars;
        device::CgKernels& kernels = device_.cg_kernels();
        const auto& [x, r, p, unused, residual_dot, last_alpha, done] = state_;
        const auto sum = scalar_of(scalars, &CgScalars::sum);
        const device::View<const double> alpha = scalar_of(scalars, &CgScalars::alpha);
        const device::View<const double> beta = scalar_of(scalars, &CgScalars::beta);
        matrix_.share().multiply(p, matrix_.output(), stream);
        device_.vectors().dot(p, matrix_.output(), sum, stream);
        kernels.update_alpha(scalars, stream);
        kernels.update_classic(alpha, {p, matrix_.output(), x, r}, sum, stream);
        kernels.update_beta(scalars, history, stream);
        device_.vectors().xpay(r, beta, p, stream);
    };
    return device::Operations(each);
}

void NativeClassicLoop::gather_direction() {
    const device::View<double> kept = matrix_.output();
    device_.copy(device::as_bytes(state_.residual), device::as_bytes(kept), stream_);
    const auto all = matrix_.gather(state_.direction);
    device_.copy(device::as_bytes(all), device::as_bytes(matrix_.multiplied()), stream_);
    device_.copy(device::as_bytes(kept), device::as_bytes(state_.residual), stream_);
}

void NativeClassicLoop::follow_others(double beta) {
    const auto [begin, end] = matrix_.rows();
    const device::View<const double> r = matrix_.gather();
    const device::View<double> p = matrix_.multiplied();
    for (const Range part : {Range{0, begin}, Range{end, p.size()}}) {
        device_.vectors().xpay(r.part(part.begin, part.size()), beta,
                               p.part(part.begin, part.size()), stream_);
    }
}

void NativeClassicLoop::run(std::span<double> history, Observer& observer) {
    auto& [x, r, p, unused, residual_dot, alpha, done] = state_;
    if (done == 0) {
        device_.vectors().dot(r, r, sums_.share(0), stream_);
        residual_dot = sums_.sum<1>().sums[0];
    }
    history[static_cast<std::size_t>(done)] = residual_dot;
    if (resident_ && !observer.observes_iterations()) {
        resident_->run(state_, residual_dot, history);
        return;
    }
    const bool several = context_.ranks() > 1;
    if (several) {
        gather_direction();
    }
    std::optional<double> beta;  // of an earlier iteration of this run
    for (bool going = done + 1 < std::ssize(history); going;) {
        const bool wants_stop = observer.wants_stop();
        if (several && beta) {
            follow_others(*beta);
        }
        matrix_.multiply_and_dot();
        alpha = alpha_of(residual_dot, sums_.sum<1>().sums[0], done, name_);
        device_.cg_kernels().update_classic(alpha, {p, matrix_.output(), x, r}, sums_.share(0),
                                            stream_);
        const double before = residual_dot;
        const auto [sums, stop] = sums_.sum<1>(wants_stop);
        residual_dot = sums[0];
        beta = device::beta_of(residual_dot, before, alpha);
        device_.vectors().xpay(r, *beta, p, stream_);
        going = goes_on(history, observer, stop);
        history[static_cast<std::size_t>(done)] = residual_dot;
    }
}

}  // namespace quartet::cg

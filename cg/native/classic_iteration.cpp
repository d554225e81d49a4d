#include "cg/native/classic_iteration.hpp"

#include <utility>

#include "device/cg_kernels.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

ClassicIteration::Buffers::Buffers(bench::BufferPlan& plan, std::int64_t rows, int ranks)
    : sums(JointSums::buffer(plan)), x(plan.add<double>(rows)), r(plan.add<double>(rows)) {
    if (ranks == 1) {
        resident.emplace(plan);
    }
}

ClassicIteration::ClassicIteration(const RankContext& context, const Buffers& buffers,
                                   DistributedMatrix& matrix, comm::Transport& transport,
                                   std::string name)
    : ClassicLoop(context.device, context.stream),
      matrix_(matrix),
      name_(std::move(name)),
      sums_(context, buffers.sums, transport),
      x_(allocate(buffers.x, context.device)),
      r_(allocate(buffers.r, context.device)) {
    state_.solution = x_.view();
    state_.residual = r_.view();
    state_.direction = matrix.input();
    matrix.leave_dot_in(sums_.share(0));
    if (buffers.resident) {
        resident_.emplace(context, *buffers.resident, resident_iteration(),
                          DeviceResidentCg::Leaves::after, name_);
    }
}

// What iterate() does, with the scalars in memory.
DeviceResidentCg::Enqueue ClassicIteration::resident_iteration() {
    return [this](device::View<device::CgScalars> scalars, device::View<double> history,
                  device::Stream& stream) {
        using device::CgScalars;
        device::CgKernels& kernels = device_.cg_kernels();
        const auto& [x, r, p, unused, residual_dot, last_alpha, done] = state_;
        const auto sum = scalar_of(scalars, &CgScalars::sum);
        const device::View<const double> alpha = scalar_of(scalars, &CgScalars::alpha);
        const device::View<const double> beta = scalar_of(scalars, &CgScalars::beta);
        matrix_.multiply_alone(stream);
        device_.vectors().dot(p, matrix_.output(), sum, stream);
        kernels.update_alpha(scalars, stream);
        kernels.update_classic(alpha, {p, matrix_.output(), x, r}, sum, stream);
        kernels.update_beta(scalars, history, stream);
        device_.vectors().xpay(r, beta, p, stream);
    };
}

void ClassicIteration::run(std::span<double> history, Observer& observer) {
    if (!resident_ || observer.looks()) {
        ClassicLoop::run(history, observer);
        return;
    }
    if (state_.done == 0) {
        find_first_residual();
    }
    history[static_cast<std::size_t>(state_.done)] = state_.residual_dot;
    resident_->run(state_, 0, history);
}

void ClassicIteration::find_first_residual() {
    device_.vectors().dot(state_.residual, state_.residual, sums_.share(0), stream_);
    state_.residual_dot = sums_.sum<1>().sums[0];
}

bool ClassicIteration::iterate(bool wants_stop) {
    auto& [x, r, p, unused, residual_dot, alpha, done] = state_;
    matrix_.multiply_and_dot();
    alpha = alpha_of(residual_dot, sums_.sum<1>().sums[0], done, name_);
    device_.cg_kernels().update_classic(alpha, {p, matrix_.output(), x, r}, sums_.share(0),
                                        stream_);
    const double before = residual_dot;
    const auto [sums, stop] = sums_.sum<1>(wants_stop);
    residual_dot = sums[0];
    device_.vectors().xpay(r, device::beta_of(residual_dot, before, alpha), p, stream_);
    return stop;
}

}  // namespace quartet::cg

#include "cg/native/single_reduction_iteration.hpp"

#include <utility>

#include "device/cg_kernels.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

SingleReductionIteration::Buffers::Buffers(bench::BufferPlan& plan, std::int64_t rows, int ranks)
    : sums(JointSums::buffer(plan)),
      x(plan.add<double>(rows)),
      p(plan.add<double>(rows)),
      s(plan.add<double>(rows)) {
    if (ranks == 1) {
        resident.emplace(plan);
    }
}

SingleReductionIteration::SingleReductionIteration(const RankContext& context,
                                                   const Buffers& buffers,
                                                   DistributedMatrix& matrix,
                                                   comm::Transport& transport, std::string name)
    : device_(context.device),
      stream_(context.stream),
      matrix_(matrix),
      name_(std::move(name)),
      sums_(context, buffers.sums, transport),
      x_(allocate(buffers.x, context.device)),
      p_(allocate(buffers.p, context.device)),
      s_(allocate(buffers.s, context.device)) {
    state_.solution = x_.view();
    state_.residual = matrix.input();
    state_.direction = p_.view();
    state_.direction_product = s_.view();
    matrix.leave_dot_in(sums_.share(1));
    if (buffers.resident) {
        resident_.emplace(context, *buffers.resident, resident_iteration(),
                          DeviceResidentCg::Leaves::before, name_);
    }
}

// What advance() does, with the scalars in memory.
DeviceResidentCg::Enqueue SingleReductionIteration::resident_iteration() {
    return [this](device::View<device::CgScalars> scalars, device::View<double> history,
                  device::Stream& stream) {
        using device::CgScalars;
        const auto& [x, r, p, s, residual_dot, last_alpha, done] = state_;
        const device::View<const double> w = matrix_.output();
        const device::View<const double> alpha = scalar_of(scalars, &CgScalars::alpha);
        const device::View<const double> beta = scalar_of(scalars, &CgScalars::beta);
        matrix_.multiply_alone(stream);
        device_.vectors().dot(r, w, scalar_of(scalars, &CgScalars::product_dot), stream);
        device_.cg_kernels().update_alpha_beta(scalars, history, stream);
        device_.cg_kernels().update_single_reduction(beta, alpha, {p, s, w, x, r},
                                                     scalar_of(scalars, &CgScalars::sum), stream);
    };
}

void SingleReductionIteration::restart(device::View<const double> right_side) {
    device_.copy(device::as_bytes(right_side), device::as_bytes(state_.residual), stream_);
    for (const auto& vector : {state_.solution, state_.direction, state_.direction_product}) {
        device_.vectors().fill(0.0, vector, stream_);
    }
    state_.residual_dot = 0;
    state_.alpha = 0;
    state_.done = 0;
}

void SingleReductionIteration::run(std::span<double> history, Observer& observer) {
    auto& [x, r, p, s, residual_dot, alpha, done] = state_;
    // From a saved state: the same bits as the last update's sum.
    device_.vectors().dot(r, r, sums_.share(0), stream_);
    if (resident_ && !observer.looks()) {
        history.back() = resident_->run(state_, sums_.sum<1>().sums[0], history);
        return;
    }
    const auto last = std::ssize(history) - 1;
    for (Next next = Next::go_on; next == Next::go_on && done < last;) {
        const bool stop = advance(observer.wants_stop());
        const auto count = static_cast<std::size_t>(done);
        history[count - 1] = residual_dot;
        next = observer.after(state_, history.first(count), stop);
    }
    history[static_cast<std::size_t>(done)] = sums_.sum<1>().sums[0];
}

// Finds this rank's share of r.r in sums_. Leaves r.r before the update in the state. Whether any
// rank wants to stop.
bool SingleReductionIteration::advance(bool wants_stop) {
    auto& [x, r, p, s, residual_dot, alpha, done] = state_;
    matrix_.multiply_and_dot();
    const auto [sums, stop] = sums_.sum<2>(wants_stop);
    const auto [dot, product_dot] = sums;
    const auto [beta, curvature] =
        device::curvature_of(device::beta_of(dot, residual_dot, alpha), dot, product_dot, alpha);
    alpha = alpha_of(dot, curvature, done, name_);
    device_.cg_kernels().update_single_reduction(beta, alpha, {p, s, matrix_.output(), x, r},
                                                 sums_.share(0), stream_);
    residual_dot = dot;
    ++done;
    return stop;
}

}  // namespace quartet::cg

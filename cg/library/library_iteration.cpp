#include "cg/library/library_iteration.hpp"

#include "comm/mpi/all_reduce.hpp"
#include "device/cg_scalars.hpp"

namespace quartet::cg {

LibraryIteration::Buffers::Buffers(bench::BufferPlan& plan, const Problem& problem,
                                   std::int64_t rows)
    : x(plan.add<double>(rows)),
      r(plan.add<double>(rows)),
      p(plan.add<double>(rows, bench::Room::device_window)),
      product(plan.add<double>(rows)),
      whole(plan.add<double>(problem.size)),
      sum(plan.add<double>(1, bench::Room::host)) {}

LibraryIteration::LibraryIteration(const RankContext& context, const Buffers& buffers,
                                   comm::Transport& transport, const Problem& problem,
                                   device::MatrixShare& share)
    : ClassicLoop(context.device, context.stream),
      world_(context.world),
      vectors_(context.device.vectors()),
      share_(share),
      name_(problem.title()),
      x_(allocate(buffers.x, device_)),
      r_(allocate(buffers.r, device_)),
      p_(allocate(buffers.p, transport)),
      product_(allocate(buffers.product, device_)),
      whole_(allocate(buffers.whole, device_)),
      sum_(allocate(buffers.sum, device_)) {
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        bytes.push_back(
            bytes_of<double>(block_range(problem.size, world_.size(), rank).size()).value);
    }
    gather_ = transport.prepare_all_gather(
        {device::as_bytes(p_.view()), device::as_bytes(whole_.view()), bytes});
    state_.solution = x_.view();
    state_.residual = r_.view();
    state_.direction = p_.view();
}

device::View<const double> LibraryIteration::gather() {
    gather_->run(stream_);
    return whole_.view();
}

double LibraryIteration::sum_of_products(device::View<const double> a,
                                         device::View<const double> b) {
    vectors_.dot(a, b, sum_.view(), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::reduce, "sum");
    return comm::all_reduce_sum(sum_.span()[0], world_);
}

void LibraryIteration::run(std::span<double> history, Observer& observer) {
    check(!observer.looks(), "the library formulation has no checkpoints");
    ClassicLoop::run(history, observer);
}

void LibraryIteration::find_first_residual() {
    state_.residual_dot = sum_of_products(state_.residual, state_.residual);
}

bool LibraryIteration::iterate(bool /*wants_stop*/) {
    auto& [x, r, p, unused, residual_dot, alpha, done] = state_;
    share_.multiply(gather(), product_.view(), stream_);
    alpha = alpha_of(residual_dot, sum_of_products(p, product_.view()), done, name_);
    vectors_.axpy(alpha, p, x, stream_);
    vectors_.axpy(-alpha, product_.view(), r, stream_);
    const double before = residual_dot;
    residual_dot = sum_of_products(r, r);
    vectors_.xpay(r, device::beta_of(residual_dot, before, alpha), p, stream_);
    return false;
}

}  // namespace quartet::cg

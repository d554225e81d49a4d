#include "cg/library/library_iteration.hpp"

#include "comm/mpi/all_reduce.hpp"

namespace quartet::cg {

LibraryIteration::LibraryIteration(bench::Session& session, comm::Transport& transport,
                                   const Problem& problem, device::MatrixShare& share)
    : world_(session.world()),
      stream_(session.stream()),
      vectors_(session.device().vectors()),
      device_(session.device()),
      share_(share),
      name_(problem.title()),
      whole_(device::allocate<double>(device_, problem.size)),
      sum_(device::allocate<double>(device_, 1, device::MemoryKind::pinned)) {
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        bytes.push_back(
            bytes_of<double>(block_range(problem.size, world_.size(), rank).size()).value);
    }
    const std::int64_t rows = block_range(problem.size, world_.size(), world_.rank()).size();
    for (device::Buffer<double>* vector : {&x_, &r_, &product_}) {
        *vector = device::allocate<double>(device_, rows);
    }
    p_ = comm::allocate<double>(transport, rows);
    gather_ = transport.prepare_all_gather(
        {device::as_bytes(p_.view()), device::as_bytes(whole_.view()), bytes});
    state_.solution = x_.view();
    state_.residual = r_.view();
    state_.direction = p_.view();
}

void LibraryIteration::restart(device::View<const double> right_side) {
    begin_classic(state_, right_side, device_, stream_);
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

void LibraryIteration::run(std::span<double> history, Observer& watch) {
    check(!watch.looks(), "the library formulation has no checkpoints");
    state_.residual_dot = sum_of_products(state_.residual, state_.residual);
    history.front() = state_.residual_dot;
    while (state_.done < std::ssize(history) - 1) {
        advance();
        history[static_cast<std::size_t>(state_.done)] = state_.residual_dot;
    }
}

void LibraryIteration::advance() {
    auto& [x, r, p, unused, residual_dot, step, done] = state_;
    share_.multiply(gather(), product_.view(), stream_);
    step = step_length(residual_dot, sum_of_products(p, product_.view()), done, name_);
    vectors_.axpy(step, p, x, stream_);
    vectors_.axpy(-step, product_.view(), r, stream_);
    const double before = residual_dot;
    residual_dot = sum_of_products(r, r);
    vectors_.xpay(r, turn(residual_dot, before, step), p, stream_);
    ++done;
}

Bytes LibraryIteration::memory(const Problem& problem, std::int64_t rows) {
    return bytes_of<double>(4 * rows + problem.size + 1);
}

}  // namespace quartet::cg

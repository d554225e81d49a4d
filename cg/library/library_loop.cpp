#include "cg/library/library_loop.hpp"

#include "comm/mpi/all_reduce.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "device/cg_scalars.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(comm::Transport& transport, const Problem& problem) {
    comm::require_plain_mpi(transport, "formulation library");
    check(problem.storage == Storage::full && problem.algorithm == Algorithm::classic,
          "the library formulation has full storage and the classic algorithm");
    return transport;
}

}  // namespace

LibraryLoop::Buffers::Buffers(bench::Arena& arena, const RankContext& context,
                              const Problem& problem) {
    const std::int64_t rows = row_block(context, problem).rows;
    for (auto* vector : {&x, &r, &product}) {
        *vector = arena.make<double>(rows);
    }
    whole = arena.make<double>(problem.size);
    sum = arena.make<double>(1, bench::Room::host);
    p = arena.make<double>(rows, bench::Room::device_window);
}

LibraryLoop::LibraryLoop(const RankContext& context, comm::Transport& transport,
                         const Problem& problem)
    : ClassicLoop(context, require_usable(transport, problem), problem),
      rows_(context, arena_, row_block(context, problem)),
      buffers_(arena_, context, problem) {
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < context.ranks(); ++rank) {
        bytes.push_back(
            bytes_of<double>(block_range(problem.size, context.ranks(), rank).size()).value);
    }
    gather_ = transport.prepare_all_gather(
        {device::as_bytes(buffers_.p.view()), device::as_bytes(buffers_.whole.view()), bytes});
    state_.solution = buffers_.x.view();
    state_.residual = buffers_.r.view();
    state_.direction = buffers_.p.view();
}

// Uses p, whose values are lost.
std::vector<double> LibraryLoop::gather(device::View<const double> rows) {
    if (rows.data() != state_.direction.data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(state_.direction), stream_);
    }
    gather_->run(stream_);
    return on_host(buffers_.whole.view());
}

double LibraryLoop::sum_of_products(device::View<const double> a, device::View<const double> b) {
    device_.vectors().dot(a, b, buffers_.sum.view(), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::reduce, "sum");
    return comm::all_reduce_sum(buffers_.sum.span()[0], context_.world);
}

void LibraryLoop::find_first_residual() {
    state_.residual_dot = sum_of_products(state_.residual, state_.residual);
}

bool LibraryLoop::iterate(bool wants_stop) {
    check(!wants_stop, "the library formulation has no checkpoints");
    auto& [x, r, p, unused, residual_dot, alpha, done] = state_;
    const device::View<double> product = buffers_.product.view();
    gather_->run(stream_);
    rows_.multiply(buffers_.whole.view(), product, stream_);
    alpha = alpha_of(residual_dot, sum_of_products(p, product), done, name_);
    device_.vectors().axpy(alpha, p, x, stream_);
    device_.vectors().axpy(-alpha, product, r, stream_);
    const double before = residual_dot;
    residual_dot = sum_of_products(r, r);
    device_.vectors().xpay(r, device::beta_of(residual_dot, before, alpha), p, stream_);
    return false;
}

}  // namespace quartet::cg

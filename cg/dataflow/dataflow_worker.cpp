#include "cg/dataflow/dataflow_worker.hpp"

#include "device/cg_kernels.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

device::RowBlock worker_block(const RankContext& context, const Problem& problem) {
    const comm::Roles roles = roles_of(bench::Formulation::dataflow, context.ranks());
    const Range rows = problem.rows(roles, context.rank());
    return {rows.begin, rows.size(), problem.size};
}

}  // namespace

DataflowWorker::Buffers::Buffers(bench::Arena& arena, const RankContext& context,
                                 const Problem& problem) {
    const std::int64_t rows = worker_block(context, problem).rows;
    for (auto* vector : {&x, &r, &p, &product}) {
        *vector = arena.make<double>(rows);
    }
    sum = arena.make<double>(1, bench::Room::host);
    if (device::has_own_memory(context.device)) {
        whole = arena.make<double>(problem.size);
    }
}

void DataflowWorker::count(bench::Arena& arena, const RankContext& context,
                           const Problem& problem) {
    arena.count(context.device.matrices().matrix_memory(worker_block(context, problem)),
                bench::Room::device);
}

DataflowWorker::DataflowWorker(const RankContext& context, comm::Transport& transport,
                               const Problem& problem)
    : DataflowLoop(context, transport, problem),
      index_(roles_.index_of(context.rank())),
      share_(device_.matrices().make_matrix(worker_block(context, problem))),
      buffers_(arena_, context, problem) {
    state_.solution = buffers_.x.view();
    state_.residual = buffers_.r.view();
    state_.direction = buffers_.p.view();
}

void DataflowWorker::find_first_residual() {
    device_.vectors().dot(state_.residual, state_.residual, buffers_.sum.view(), stream_);
    state_.residual_dot = queues_.residual.exchange(index_, {local_sum()})[0];
}

// Reads the sum that the device has computed.
double DataflowWorker::local_sum() {
    stream_.synchronize();
    return buffers_.sum.span()[0];
}

bool DataflowWorker::iterate(bool wants_stop) {
    auto& [x, r, p, unused, residual_dot, alpha, done] = state_;
    const device::View<double> product = buffers_.product.view();
    share_->multiply(exchange_direction(), product, stream_);
    device_.vectors().dot(p, product, buffers_.sum.view(), stream_);
    const double curvature = local_sum();
    queues_.direction.release();
    {
        const Span span(stream_.track(), Phase::reduce, "alpha");
        alpha = queues_.curvature.exchange(index_, {curvature})[0];
    }
    device_.cg_kernels().update_classic(alpha, {p, product, x, r}, buffers_.sum.view(), stream_);
    const double dot = local_sum();
    const Span span(stream_.track(), Phase::reduce, "beta");
    const auto [beta, new_dot, stop] =
        queues_.residual.exchange(index_, {dot, wants_stop ? 1.0 : 0.0});
    residual_dot = new_dot;
    device_.vectors().xpay(r, beta, p, stream_);
    return stop > 0;
}

// This worker's rows for all of p, which stays readable until it is released.
device::View<const double> DataflowWorker::exchange_direction() {
    const auto mine = device::as_bytes(device::View<const double>(state_.direction));
    device_.copy(mine, queues_.blocks.next().part(0, mine.size()), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::exchange, "direction");
    queues_.blocks.push(index_, mine.bytes());
    const auto received = queues_.direction.receive();
    if (device::has_own_memory(device_)) {
        device_.copy(received, device::as_bytes(buffers_.whole.view()), stream_);
        return buffers_.whole.view();
    }
    return device::view_as<double>(received);
}

}  // namespace quartet::cg

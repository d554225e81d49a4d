#include "cg/dataflow/dataflow_worker.hpp"

#include "cg/solver.hpp"
#include "device/cg_kernels.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

device::RowBlock row_block(const Problem& problem, const comm::Roles& roles, int rank) {
    const Range rows = problem.rows(roles, rank);
    return {rows.begin, rows.size(), problem.size};
}

}  // namespace

DataflowWorker::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                 const Problem& problem, const comm::Roles& roles, int rank)
    : block(row_block(problem, roles, rank)) {
    plan.add(device.matrices().matrix_memory(block), bench::Room::device);
    for (auto* vector : {&x, &r, &p, &product}) {
        *vector = plan.add<double>(block.rows);
    }
    sum = plan.add<double>(1, bench::Room::host);
    whole = plan.add<double>(device::has_own_memory(device) ? problem.size : 0);
}

DataflowWorker::DataflowWorker(const RankContext& context, const Buffers& buffers,
                               comm::Transport& transport, flow::Hub& hub, const Problem& problem,
                               const comm::Roles& roles)
    : DataflowIteration(context, transport, hub, problem, roles),
      index_(roles.index_of(context.rank())),
      share_(device_.matrices().make_matrix(buffers.block)),
      x_(allocate(buffers.x, device_)),
      r_(allocate(buffers.r, device_)),
      p_(allocate(buffers.p, device_)),
      product_(allocate(buffers.product, device_)),
      sum_(allocate(buffers.sum, device_)),
      whole_(allocate(buffers.whole, device_)) {
    state_.solution = x_.view();
    state_.residual = r_.view();
    state_.direction = p_.view();
}

void DataflowWorker::find_first_residual() {
    device_.vectors().dot(r_.view(), r_.view(), sum_.view(), stream_);
    state_.residual_dot = queues_.residual.exchange(index_, {local_sum()})[0];
}

// What the device has left in sum_.
double DataflowWorker::local_sum() {
    stream_.synchronize();
    return sum_.span()[0];
}

bool DataflowWorker::iterate(bool wants_stop) {
    share_->multiply(exchange_direction(), product_.view(), stream_);
    device_.vectors().dot(p_.view(), product_.view(), sum_.view(), stream_);
    const double curvature = local_sum();
    queues_.direction.release();
    {
        const Span span(stream_.track(), Phase::reduce, "alpha");
        state_.alpha = queues_.curvature.exchange(index_, {curvature})[0];
    }
    device_.cg_kernels().update_classic(
        state_.alpha, {p_.view(), product_.view(), x_.view(), r_.view()}, sum_.view(), stream_);
    const double dot = local_sum();
    const Span span(stream_.track(), Phase::reduce, "beta");
    const auto [beta, residual_dot, stop] =
        queues_.residual.exchange(index_, {dot, wants_stop ? 1.0 : 0.0});
    state_.residual_dot = residual_dot;
    device_.vectors().xpay(r_.view(), beta, p_.view(), stream_);
    return stop > 0;
}

// This worker's rows for all of p, which stays readable until it is released.
device::View<const double> DataflowWorker::exchange_direction() {
    const auto mine = device::as_bytes(device::View<const double>(p_.view()));
    device_.copy(mine, queues_.blocks.next().part(0, mine.size()), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::exchange, "direction");
    queues_.blocks.push(index_, mine.bytes());
    const auto received = queues_.direction.receive();
    if (device::has_own_memory(device_)) {
        device_.copy(received, device::as_bytes(whole_.view()), stream_);
        return whole_.view();
    }
    return device::view_as<double>(received);
}

}  // namespace quartet::cg

#include "cg/dataflow/dataflow_iteration.hpp"

#include <cstring>

#include "cg/solver.hpp"
#include "device/cg_kernels.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

using Scalars = DataflowReduction::Scalars;

namespace {

flow::QueuePlan queue_of_pieces(const Problem& problem, const comm::Roles& roles, int bound) {
    return {.owner = roles.reducer_rank(0),
            .pushers = roles.worker_ranks(),
            .bound = bound,
            .largest = bytes_of<double>(problem.largest_rows(roles)),
            .order = flow::DequeueOrder::key,
            .outgoing = 1};
}

}  // namespace

DataflowIteration::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                    const Problem& problem, const comm::Roles& roles, int rank) {
    const bool reduces = roles.of(rank) == comm::Role::reducer;
    const std::int64_t rows = problem.rows(roles, rank).size();
    for (auto* vector : {&x, &r, &p, &product}) {
        *vector = plan.add<double>(rows);
    }
    sum = plan.add<double>(1, bench::Room::host);
    whole = plan.add<double>(!reduces && has_own_memory(device) ? problem.size : 0);
    merged = plan.add<double>(reduces ? problem.size : 0, bench::Room::host);
}

DataflowIteration::DataflowIteration(const RankContext& context, const Buffers& buffers,
                                     comm::Transport& transport, flow::Hub& hub,
                                     const Problem& problem, const comm::Roles& roles,
                                     device::MatrixShare* share)
    : device_(context.device),
      stream_(context.stream),
      problem_(problem),
      roles_(roles),
      index_(roles.index_of(context.rank())),
      share_(share),
      x_(allocate(buffers.x, device_)),
      r_(allocate(buffers.r, device_)),
      p_(allocate(buffers.p, device_)),
      product_(allocate(buffers.product, device_)),
      sum_(allocate(buffers.sum, device_)),
      whole_(allocate(buffers.whole, device_)),
      merged_(allocate(buffers.merged, device_)),
      curvature_(hub, transport, roles, context.queue),
      residual_(hub, transport, roles, context.queue),
      pieces_(hub, transport, queue_of_pieces(problem, roles, context.queue)),
      direction_(hub, transport, roles.reducer_rank(0), roles.worker_ranks(),
                 bytes_of<double>(problem.size)) {
    state_.solution = x_.view();
    state_.residual = r_.view();
    state_.direction = p_.view();
}

void DataflowIteration::restart(device::View<const double> right_side) {
    begin_classic(state_, right_side, device_, stream_);
}

void DataflowIteration::run(std::span<double> history, Observer& observer) {
    if (state_.done == 0) {
        find_first_residual();
    }
    const auto last = std::ssize(history) - 1;
    history[static_cast<std::size_t>(state_.done)] = state_.residual_dot;
    for (Next next = Next::go_on; next == Next::go_on && state_.done < last;) {
        const bool wants_stop = observer.wants_stop();
        const bool stop = works() ? work(wants_stop) : reduce(wants_stop);
        ++state_.done;
        const auto count = static_cast<std::size_t>(state_.done);
        history[count] = state_.residual_dot;
        next = observer.after(state_, history.first(count), stop);
    }
}

void DataflowIteration::find_first_residual() {
    if (works()) {
        device_.vectors().dot(r_.view(), r_.view(), sum_.view(), stream_);
        state_.residual_dot = residual_.exchange(index_, {local_sum()})[0];
    } else {
        state_.residual_dot = residual_.collect()[0];
        residual_.publish({state_.residual_dot});
    }
}

// What the device has left in sum_.
double DataflowIteration::local_sum() {
    stream_.synchronize();
    return sum_.span()[0];
}

bool DataflowIteration::work(bool wants_stop) {
    share_->multiply(exchange_direction(), product_.view(), stream_);
    device_.vectors().dot(p_.view(), product_.view(), sum_.view(), stream_);
    const double curvature = local_sum();
    direction_.release();
    {
        const Span span(stream_.track(), Phase::reduce, "alpha");
        state_.alpha = curvature_.exchange(index_, {curvature})[0];
    }
    device_.cg_kernels().update_classic(
        state_.alpha, {p_.view(), product_.view(), x_.view(), r_.view()}, sum_.view(), stream_);
    const double dot = local_sum();
    const Span span(stream_.track(), Phase::reduce, "beta");
    const auto [beta, residual_dot, stop] =
        residual_.exchange(index_, {dot, wants_stop ? 1.0 : 0.0});
    state_.residual_dot = residual_dot;
    device_.vectors().xpay(r_.view(), beta, p_.view(), stream_);
    return stop > 0;
}

bool DataflowIteration::reduce(bool wants_stop) {
    merge_direction();
    const Span span(stream_.track(), Phase::reduce, "scalars");
    state_.alpha =
        alpha_of(state_.residual_dot, curvature_.collect()[0], state_.done, problem_.title());
    curvature_.publish({state_.alpha});
    const double before = state_.residual_dot;
    const auto [dot, votes, unused] = residual_.collect();
    state_.residual_dot = dot;
    const bool stop = wants_stop || votes > 0;
    residual_.publish({device::beta_of(dot, before, state_.alpha), dot, stop ? 1.0 : 0.0});
    return stop;
}

// On a worker: its piece for all of p, which stays readable until it is released.
device::View<const double> DataflowIteration::exchange_direction() {
    const auto piece = device::as_bytes(device::View<const double>(p_.view()));
    device_.copy(piece, pieces_.next().part(0, piece.size()), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::exchange, "direction");
    pieces_.push(index_, piece.bytes());
    const auto received = direction_.receive();
    if (has_own_memory(device_)) {
        device_.copy(received, device::as_bytes(whole_.view()), stream_);
        return whole_.view();
    }
    return device::view_as<double>(received);
}

// On the reducer: the pieces, put together, for each worker.
void DataflowIteration::merge_direction() {
    const Span span(stream_.track(), Phase::merge, "direction");
    const auto merged = device::as_bytes(merged_.view());
    flow::take(pieces_, roles_.workers(), roles_.workers(), [&](const flow::Item& item) {
        const Range rows = problem_.rows(roles_, roles_.worker_rank(static_cast<int>(item.key)));
        check(item.payload.bytes() == bytes_of<double>(rows.size()),
              "a piece of p has another size than its rows");
        if (!item.payload.empty()) {
            std::memcpy(merged.data() + bytes_of<double>(rows.begin).value, item.payload.data(),
                        static_cast<std::size_t>(item.payload.size()));
        }
    });
    direction_.publish(device::as_bytes(device::View<const double>(merged_.view())));
}

}  // namespace quartet::cg

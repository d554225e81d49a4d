#include "cg/dataflow/dataflow_reducer.hpp"

#include <cstring>

#include "device/cg_scalars.hpp"

namespace quartet::cg {

DataflowReducer::DataflowReducer(const RankContext& context, comm::Transport& transport,
                                 const Problem& problem)
    : DataflowLoop(context, transport, problem), direction_(make_direction(arena_, problem)) {
    const device::View<double> no_rows(nullptr, 0, device_.memory_kind());
    state_.solution = no_rows;
    state_.residual = no_rows;
    state_.direction = no_rows;
}

void DataflowReducer::find_first_residual() {
    state_.residual_dot = queues_.residual.collect()[0];
    queues_.residual.publish({state_.residual_dot});
}

bool DataflowReducer::iterate(bool wants_stop) {
    assemble_direction();
    const Span span(stream_.track(), Phase::reduce, "scalars");
    state_.alpha =
        alpha_of(state_.residual_dot, queues_.curvature.collect()[0], state_.done, name_);
    queues_.curvature.publish({state_.alpha});
    const double before = state_.residual_dot;
    const auto [dot, votes, unused] = queues_.residual.collect();
    state_.residual_dot = dot;
    const bool stop = wants_stop || votes > 0;
    queues_.residual.publish({device::beta_of(dot, before, state_.alpha), dot, stop ? 1.0 : 0.0});
    return stop;
}

// The workers' rows of p, put together, for each worker.
void DataflowReducer::assemble_direction() {
    const Span span(stream_.track(), Phase::merge, "direction");
    const auto direction = device::as_bytes(direction_.view());
    flow::take(queues_.blocks, roles_.workers(), roles_.workers(), [&](const flow::Item& item) {
        const Range rows = problem_.rows(roles_, roles_.worker_rank(static_cast<int>(item.key)));
        check(item.payload.bytes() == bytes_of<double>(rows.size()),
              "a block of p has another size than its rows");
        if (!item.payload.empty()) {
            std::memcpy(direction.data() + bytes_of<double>(rows.begin).value, item.payload.data(),
                        static_cast<std::size_t>(item.payload.size()));
        }
    });
    queues_.direction.publish(device::as_bytes(device::View<const double>(direction_.view())));
}

}  // namespace quartet::cg

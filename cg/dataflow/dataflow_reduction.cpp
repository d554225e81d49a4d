#include "cg/dataflow/dataflow_reduction.hpp"

#include <cstring>
#include <span>

namespace quartet::cg {

namespace {

constexpr Bytes scalars_size{sizeof(DataflowReduction::Scalars)};

DataflowReduction::Scalars scalars_in(device::View<const std::byte> payload) {
    check(payload.bytes() == scalars_size, "scalars of another number than were sent");
    DataflowReduction::Scalars scalars;
    std::memcpy(scalars.data(), payload.data(), sizeof(scalars));
    return scalars;
}

flow::QueuePlan queue_to_reducer(const comm::Roles& roles, int bound) {
    return {.owner = roles.reducer_rank(0),
            .pushers = roles.worker_ranks(),
            .bound = bound,
            .largest = scalars_size,
            .order = flow::DequeueOrder::arrival,
            .outgoing = 1};
}

}  // namespace

void DataflowReduction::count(bench::Arena& arena, const comm::OperationMemory& transport,
                              const comm::Roles& roles, int bound, int rank) {
    arena.count(flow::queue_memory(queue_to_reducer(roles, bound), transport, rank));
    arena.count(flow::Publication::memory(roles.reducer_rank(0), roles.worker_ranks(), scalars_size,
                                          transport, rank));
}

DataflowReduction::DataflowReduction(flow::Hub& hub, comm::Transport& transport,
                                     const comm::Roles& roles, int bound)
    : incoming_(hub, transport, queue_to_reducer(roles, bound)),
      outgoing_(hub, transport, roles.reducer_rank(0), roles.worker_ranks(), scalars_size),
      collected_(static_cast<std::size_t>(roles.workers())) {}

DataflowReduction::Scalars DataflowReduction::exchange(int worker, const Scalars& mine) {
    std::memcpy(incoming_.next().data(), mine.data(), sizeof(mine));
    incoming_.push(worker, scalars_size);
    const Scalars result = scalars_in(outgoing_.receive());
    outgoing_.release();
    return result;
}

DataflowReduction::Scalars DataflowReduction::collect() {
    const int workers = static_cast<int>(collected_.size());
    flow::take(incoming_, workers, workers, [&](const flow::Item& item) {
        collected_.at(static_cast<std::size_t>(item.key)) = scalars_in(item.payload);
    });
    Scalars sums{};
    for (const Scalars& scalars : collected_) {
        for (std::size_t index = 0; index < sums.size(); ++index) {
            sums[index] += scalars[index];
        }
    }
    return sums;
}

void DataflowReduction::publish(const Scalars& result) {
    const auto bytes = std::as_bytes(std::span(result));
    outgoing_.publish({bytes.data(), std::ssize(bytes), device::MemoryKind::host});
}

void DataflowReduction::flush() {
    incoming_.flush();
    outgoing_.flush();
}

}  // namespace quartet::cg

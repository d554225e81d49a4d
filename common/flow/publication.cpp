#include "flow/publication.hpp"

#include <cstring>

#include "core/check.hpp"

namespace quartet::flow {

namespace {

QueuePlan queue_to(int receiver, int from, Bytes largest) {
    return {.owner = receiver,
            .pushers = {from},
            .bound = 1,
            .largest = largest,
            .order = DequeueOrder::arrival,
            .outgoing = 1};
}

}  // namespace

comm::PayloadMemory Publication::memory(int from, const std::vector<int>& to, Bytes largest,
                                        const comm::OperationMemory& transport, int rank) {
    comm::PayloadMemory sum;
    for (const int receiver : to) {
        sum = sum + queue_memory(queue_to(receiver, from, largest), transport, rank);
    }
    return sum;
}

Publication::Publication(Hub& hub, comm::Transport& transport, int from, const std::vector<int>& to,
                         Bytes largest) {
    for (const int receiver : to) {
        queues_.push_back(
            std::make_unique<Queue>(hub, transport, queue_to(receiver, from, largest)));
        if (receiver == hub.comm().rank()) {
            mine_ = queues_.back().get();
        }
    }
}

void Publication::publish(device::View<const std::byte> payload) {
    for (const auto& queue : queues_) {
        const auto copy = queue->next().part(0, payload.size());
        std::memcpy(copy.data(), payload.data(), static_cast<std::size_t>(payload.size()));
        queue->push(0, payload.bytes());
    }
}

device::View<const std::byte> Publication::receive() {
    check(mine_ != nullptr, "this rank receives no publication");
    return mine_->dequeue(1).front().payload;
}

void Publication::release() {
    check(mine_ != nullptr, "this rank receives no publication");
    mine_->release();
}

void Publication::flush() {
    for (const auto& queue : queues_) {
        queue->flush();
    }
}

}  // namespace quartet::flow

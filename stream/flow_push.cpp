#include "stream/flow_push.hpp"

#include <algorithm>

namespace quartet::stream {

namespace {

// One payload is read by the receiver while the next is announced.
constexpr int payloads_under_way = 2;

}  // namespace

FlowPush::FlowPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
                   const comm::Communicator& world, Bytes size, int bound)
    : plan_(plan),
      device_(device),
      rank_(world.rank()),
      size_(size),
      hub_(world),
      queue_(hub_, transport,
             {.owner = plan.receiver,
              .pushers = plan.senders,
              .bound = bound,
              .largest = size,
              .order = flow::Order::arrival,
              .outgoing = payloads_under_way}) {
    if (std::ranges::find(plan.senders, rank_) == plan.senders.end()) {
        return;
    }
    // Each push is to read its source once, not to copy it first: it lies where it is posted from.
    const auto stream = device.make_stream("fill");
    for (int place = 0; place < payloads_under_way; ++place) {
        device.copy(device::as_bytes(plan.source), queue_.outgoing(place), *stream);
    }
    stream->synchronize();
}

void FlowPush::run(int count, device::Stream& stream) {
    if (rank_ == plan_.receiver) {
        for (auto items = queue_.dequeue(1); !items.empty(); items = queue_.dequeue(1)) {
            const auto payload = items.front().payload;
            const device::View<const float> values{reinterpret_cast<const float*>(payload.data()),
                                                   plan_.target.size(), payload.kind()};
            device_.vectors().add(values, plan_.target, stream);
            stream.synchronize();
        }
    } else if (std::ranges::find(plan_.senders, rank_) != plan_.senders.end()) {
        for (int push = 0; push < count; ++push) {
            static_cast<void>(queue_.next());
            queue_.push(push, size_);
        }
        queue_.close();
    }
}

}  // namespace quartet::stream

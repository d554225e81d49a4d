#include "stream/dataflow_push.hpp"

#include <algorithm>

#include "device/vector_operations.hpp"

namespace quartet::stream {

namespace {

// One payload is read by the receiver while the next is announced.
constexpr int payloads_under_way = 2;

}  // namespace

DataflowPush::DataflowPush(const comm::PushPlan& plan, comm::Transport& transport,
                           device::Device& device, const comm::Communicator& world, Bytes size,
                           int bound)
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
              .outgoing = payloads_under_way}),
      on_gpu_(device.memory_kind() == device::MemoryKind::device) {
    const bool sends = std::ranges::find(plan.senders, rank_) != plan.senders.end();
    if (on_gpu_ && rank_ == plan.receiver) {
        received_ = device::allocate<float>(device, plan.target.size());
    } else if (!on_gpu_ && sends) {
        post_from_host();
    }
}

// Each push is to read its source once, not to copy it first: it lies where it is posted from.
void DataflowPush::post_from_host() {
    const auto stream = device_.make_stream("fill");
    for (int place = 0; place < payloads_under_way; ++place) {
        device_.copy(device::as_bytes(plan_.source), queue_.outgoing(place), *stream);
    }
    stream->synchronize();
}

void DataflowPush::run(int count, device::Stream& stream) {
    if (rank_ == plan_.receiver) {
        for (auto items = queue_.dequeue(1); !items.empty(); items = queue_.dequeue(1)) {
            receive(items.front(), stream);
        }
    } else if (std::ranges::find(plan_.senders, rank_) != plan_.senders.end()) {
        for (int push = 0; push < count; ++push) {
            send(push, stream);
        }
        queue_.close();
    }
}

void DataflowPush::receive(const flow::Item& item, device::Stream& stream) {
    auto values = device::view_as<float>(item.payload);
    if (on_gpu_) {
        device_.copy(item.payload, device::as_bytes(received_.view()), stream);
        values = received_.view();
    }
    device_.vectors().add(values, plan_.target, stream);
    stream.synchronize();
}

void DataflowPush::send(std::int64_t push, device::Stream& stream) {
    const auto payload = queue_.next();
    if (on_gpu_) {
        device_.copy(device::as_bytes(plan_.source), payload, stream);
        stream.synchronize();
    }
    queue_.push(push, size_);
}

}  // namespace quartet::stream

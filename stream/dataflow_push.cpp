#include "stream/dataflow_push.hpp"

#include "device/vector_operations.hpp"

namespace quartet::stream {

namespace {

// The receiver reads one payload while the next is announced.
constexpr int payloads_in_flight = 2;

}  // namespace

device::Buffer<float> DataflowPush::received(bench::Arena& arena, const device::Device& device,
                                             bool receives, std::int64_t elements) {
    const bool on_gpu = device.memory_kind() == device::MemoryKind::device;
    return arena.make<float>(receives && on_gpu ? elements : 0);
}

flow::QueuePlan DataflowPush::queue_plan(const std::vector<int>& senders, int receiver, Bytes size,
                                         int bound, const device::Device& device) {
    const bool on_host = !device::has_own_memory(device);
    return {.owner = receiver,
            .pushers = senders,
            .bound = bound,
            .largest = size,
            .order = flow::DequeueOrder::arrival,
            .outgoing = payloads_in_flight,
            .reading = on_host ? comm::PayloadReading::in_pieces : comm::PayloadReading::whole,
            .values = on_host ? comm::PayloadValues::same : comm::PayloadValues::differ};
}

DataflowPush::DataflowPush(const comm::PushPlan& plan, comm::Transport& transport,
                           device::Device& device, const comm::Communicator& world, Bytes size,
                           int bound)
    : plan_(plan),
      device_(device),
      rank_(world.rank()),
      size_(size),
      hub_(world),
      queue_(hub_, transport, queue_plan(plan.senders, plan.receiver, size, bound, device)),
      on_gpu_(device.memory_kind() == device::MemoryKind::device) {
    bench::Arena arena(device);
    received_ = received(arena, device, rank_ == plan.receiver, plan.target.size());
    if (!on_gpu_ && plan.sends(rank_)) {
        post_from_host();
    }
}

// The source lies in the payloads from the beginning, so that a push need not copy it first.
void DataflowPush::post_from_host() {
    const auto stream = device_.make_stream("fill");
    for (int place = 0; place < payloads_in_flight; ++place) {
        device_.copy(device::as_bytes(plan_.source), queue_.outgoing(place), *stream);
    }
    stream->synchronize();
}

void DataflowPush::run(int count, device::Stream& stream) {
    if (rank_ == plan_.receiver) {
        for (auto items = queue_.dequeue(1); !items.empty(); items = queue_.dequeue(1)) {
            receive(items.front(), stream);
        }
    } else if (plan_.sends(rank_)) {
        for (int push = 0; push < count; ++push) {
            send(push, stream);
        }
        queue_.close();
    }
}

void DataflowPush::receive(const flow::Item& item, device::Stream& stream) {
    queue_.read(item, [&](std::int64_t first, const device::View<const std::byte>& piece) {
        auto values = device::view_as<float>(piece);
        if (on_gpu_) {
            device_.copy(piece, device::as_bytes(received_.view()), stream);
            values = received_.view();
        }
        const auto target = device::as_bytes(plan_.target).part(first, piece.size());
        device_.vectors().add(values, device::view_as<float>(target), stream);
        stream.synchronize();
    });
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

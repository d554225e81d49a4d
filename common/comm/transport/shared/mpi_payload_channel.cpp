#include "comm/transport/shared/mpi_payload_channel.hpp"

#include <climits>
#include <vector>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int payload_tag = 0;

device::MemoryKind kind_of(PayloadPlace place, const device::Device& device) {
    const bool on_gpu = device::has_own_memory(device);
    if (place == PayloadPlace::gpu) {
        check(on_gpu, "payload channel: payloads on a GPU of ranks that have none");
        return device::MemoryKind::device;
    }
    return on_gpu ? device::MemoryKind::pinned : device::MemoryKind::host;
}

/// Its memory, and the message that it takes part in.
struct Slot {
    device::Buffer<std::byte> memory;
    std::int64_t size = 0;
    MPI_Request request = MPI_REQUEST_NULL;
};

class MpiPayloadChannel final : public PayloadChannel {
  public:
    MpiPayloadChannel(const PayloadChannelPlan& plan, const Communicator& comm,
                      device::Device& device, Track& track)
        : comm_(comm.duplicate()), largest_(plan.largest), track_(track) {
        check(largest_.value <= INT_MAX, "payload channel: a payload is larger than MPI counts");
        const device::MemoryKind kind = kind_of(plan.place, device);
        for (auto* slots : {&outgoing_, &incoming_}) {
            slots->resize(
                static_cast<std::size_t>(slots == &outgoing_ ? plan.outgoing : plan.incoming));
            for (Slot& slot : *slots) {
                slot.memory = device::allocate<std::byte>(device, largest_.value, kind);
            }
        }
    }

    device::View<std::byte> outgoing(int index) override {
        return outgoing_.at(static_cast<std::size_t>(index)).memory.view();
    }

    PayloadDescriptor send(int index, Bytes size, int to) override {
        check(size <= largest_, "payload channel: a payload is larger than planned");
        Slot& slot = outgoing_.at(static_cast<std::size_t>(index));
        check_mpi(MPI_Isend(slot.memory.view().data(), static_cast<int>(size.value), MPI_BYTE, to,
                            payload_tag, comm_.handle(), &slot.request));
        return {size.value, index};
    }

    // The receiver has it: the request is complete, or about to be.
    void release(int index) override {
        check_mpi(
            MPI_Wait(&outgoing_.at(static_cast<std::size_t>(index)).request, MPI_STATUS_IGNORE));
    }

    void fetch(int index, int from, const PayloadDescriptor& descriptor) override {
        check(Bytes{descriptor.size} <= largest_,
              "payload channel: a payload is larger than planned");
        Slot& slot = incoming_.at(static_cast<std::size_t>(index));
        slot.size = descriptor.size;
        check_mpi(MPI_Irecv(slot.memory.view().data(), static_cast<int>(descriptor.size), MPI_BYTE,
                            from, payload_tag, comm_.handle(), &slot.request));
    }

    device::View<const std::byte> contents(int index) override {
        Slot& slot = incoming_.at(static_cast<std::size_t>(index));
        const Span span(track_, Phase::exchange, "receive");
        check_mpi(MPI_Wait(&slot.request, MPI_STATUS_IGNORE));
        return slot.memory.view().part(0, slot.size);
    }

  private:
    Communicator comm_;
    Bytes largest_;
    Track& track_;
    std::vector<Slot> outgoing_;
    std::vector<Slot> incoming_;
};

}  // namespace

PayloadMemory mpi_payload_memory(const PayloadChannelPlan& plan) {
    const Bytes slots = (plan.outgoing + plan.incoming) * plan.largest;
    return plan.place == PayloadPlace::gpu ? PayloadMemory{.gpu = slots}
                                           : PayloadMemory{.host = slots};
}

std::unique_ptr<PayloadChannel> make_mpi_payload_channel(const PayloadChannelPlan& plan,
                                                         const Communicator& comm,
                                                         device::Device& device, Track& track) {
    return std::make_unique<MpiPayloadChannel>(plan, comm, device, track);
}

}  // namespace quartet::comm

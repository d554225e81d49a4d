#include "comm/transport/support/peer_payload_channel.hpp"

#include <utility>
#include <vector>

#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

// Slots of different writers never share a page.
std::int64_t spaced(Bytes payload) {
    return system::whole_pages(payload.value, system::page_spacing);
}

// Bytes from one slot to the next.
std::int64_t stride_of(const PayloadChannelPlan& plan) {
    return plan.values == PayloadValues::same ? 0 : spaced(plan.largest);
}

Bytes slot_bytes(const PayloadChannelPlan& plan) {
    return {plan.outgoing_memories() * spaced(plan.largest)};
}

class PeerPayloadChannel final : public PayloadChannel {
  public:
    PeerPayloadChannel(const PayloadChannelPlan& plan, WindowPool& windows)
        : memory_(windows),
          largest_(plan.largest),
          stride_(stride_of(plan)),
          outgoing_(windows.allocate(slot_bytes(plan)), slot_bytes(plan).value),
          slots_of_all_(windows.of_all(std::as_const(outgoing_).view())),
          incoming_(static_cast<std::size_t>(plan.incoming)) {}

    device::View<std::byte> outgoing(int slot) override {
        return outgoing_.view().part(slot * stride_, largest_.value);
    }

    PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        check(size <= largest_, "payload channel: a payload is larger than planned");
        memory_.synchronise_memory();
        return {size.value, slot};
    }

    void release(int /*slot*/) override { memory_.synchronise_memory(); }

    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        check(Bytes{descriptor.size} <= largest_,
              "payload channel: a payload is larger than planned");
        incoming_.at(static_cast<std::size_t>(slot)) =
            slots_of_all_.at(static_cast<std::size_t>(from))
                .part(descriptor.slot * stride_, descriptor.size);
    }

    device::View<const std::byte> contents(int slot) override {
        memory_.synchronise_memory();
        return incoming_.at(static_cast<std::size_t>(slot));
    }

    // On Arm, a load may take place after the message that follows it: MPI orders what it sends
    // itself, not other loads. The sender would then fill a slot that is still being read.
    void finish(int /*slot*/) override { memory_.synchronise_memory(); }

  private:
    const PeerMemory& memory_;
    Bytes largest_;
    std::int64_t stride_;
    device::Buffer<std::byte> outgoing_;
    std::vector<device::View<const std::byte>> slots_of_all_;  ///< by rank, as this one sees them
    std::vector<device::View<const std::byte>> incoming_;
};

}  // namespace

PayloadMemory peer_payload_memory(const PayloadChannelPlan& plan) {
    return {.windows = slot_bytes(plan)};
}

std::unique_ptr<PayloadChannel> make_peer_payload_channel(const PayloadChannelPlan& plan,
                                                          WindowPool& windows) {
    return std::make_unique<PeerPayloadChannel>(plan, windows);
}

}  // namespace quartet::comm

#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/shared/payload_channel.hpp"

namespace quartet::flow {

/// Payloads so small that they travel with the control messages that announce them: one message
/// instead of two.
class InlinePayloadChannel final : public comm::PayloadChannel {
  public:
    /// The largest payload that goes this way.
    static constexpr Bytes limit{1024};
    static_assert(2 * limit.value <= std::ptrdiff_t{comm::ControlChannel::largest_payload});

    explicit InlinePayloadChannel(const comm::PayloadChannelPlan& plan)
        : largest_(plan.largest),
          outgoing_(static_cast<std::size_t>(plan.outgoing)),
          incoming_(static_cast<std::size_t>(plan.incoming)) {
        check(plan.largest <= limit,
              "payload channel: a payload is too large for its announcement");
    }

    /// What the slots take.
    static comm::PayloadMemory memory(const comm::PayloadChannelPlan& plan) {
        return {.host = bytes_of<Slot>(plan.outgoing + plan.incoming)};
    }

    /// What the announcement of a payload carries along.
    [[nodiscard]] std::span<const std::byte> attachment(const comm::PayloadDescriptor& descriptor) {
        const Slot& sent = outgoing_.at(static_cast<std::size_t>(descriptor.slot));
        return std::span(sent.bytes).first(static_cast<std::size_t>(descriptor.size));
    }
    /// Takes what an announcement carried along.
    void deliver(int slot, std::span<const std::byte> attachment) {
        Slot& to = incoming_.at(static_cast<std::size_t>(slot));
        check(attachment.size() <= to.bytes.size(),
              "payload channel: a payload is larger than planned");
        std::ranges::copy(attachment, to.bytes.begin());
        to.size = std::ssize(attachment);
    }

    device::View<std::byte> outgoing(int slot) override {
        return {outgoing_.at(static_cast<std::size_t>(slot)).bytes.data(), largest_.value,
                device::MemoryKind::host};
    }
    comm::PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        return {size.value, slot};
    }
    void release(int /*slot*/) override {}
    void fetch(int /*slot*/, int /*from*/, const comm::PayloadDescriptor& /*descriptor*/) override {
    }
    device::View<const std::byte> contents(int slot) override {
        const Slot& from = incoming_.at(static_cast<std::size_t>(slot));
        return {from.bytes.data(), from.size, device::MemoryKind::host};
    }

  private:
    struct alignas(64) Slot {
        std::array<std::byte, limit.value> bytes;
        std::int64_t size = 0;
    };

    Bytes largest_;
    std::vector<Slot> outgoing_;
    std::vector<Slot> incoming_;
};

}  // namespace quartet::flow

#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/payload_channel.hpp"
#include "system/memory/page.hpp"

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
          lines_(lines_of(plan)),
          outgoing_(slots(plan.outgoing)),
          incoming_(slots(plan.incoming)),
          sizes_(static_cast<std::size_t>(plan.incoming)) {
        check(plan.largest <= limit,
              "payload channel: a payload is too large for its announcement");
    }

    /// Memory of the slots.
    static comm::PayloadMemory memory(const comm::PayloadChannelPlan& plan) {
        return {.host = bytes_of<Line>((plan.outgoing + plan.incoming) * lines_of(plan))};
    }

    /// The bytes that the announcement of a payload carries along.
    [[nodiscard]] std::span<const std::byte> attachment(const comm::PayloadDescriptor& descriptor) {
        return {slot(outgoing_, static_cast<int>(descriptor.slot)).data(),
                static_cast<std::size_t>(descriptor.size)};
    }
    /// Takes what an announcement carried along.
    void deliver(int index, std::span<const std::byte> attachment) {
        check(std::ssize(attachment) <= largest_.value,
              "payload channel: a payload is larger than planned");
        std::ranges::copy(attachment, slot(incoming_, index).data());
        sizes_.at(static_cast<std::size_t>(index)) = std::ssize(attachment);
    }

    device::View<std::byte> outgoing(int index) override { return slot(outgoing_, index); }
    comm::PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        return {size.value, slot};
    }
    void release(int /*slot*/) override {}
    void fetch(int /*slot*/, int /*from*/, const comm::PayloadDescriptor& /*descriptor*/) override {
    }
    device::View<const std::byte> contents(int index) override {
        return slot(incoming_, index).part(0, sizes_.at(static_cast<std::size_t>(index)));
    }

  private:
    /// Payloads of different slots share none.
    struct alignas(system::cache_line) Line {
        std::array<std::byte, system::cache_line> bytes;
    };

    static std::int64_t lines_of(const comm::PayloadChannelPlan& plan) {
        return (plan.largest.value + std::ssize(Line{}.bytes) - 1) / std::ssize(Line{}.bytes);
    }
    [[nodiscard]] std::vector<Line> slots(int count) const {
        return std::vector<Line>(static_cast<std::size_t>(count * lines_));
    }
    device::View<std::byte> slot(std::vector<Line>& lines, int index) const {
        const std::int64_t first = index * lines_;
        check(index >= 0 && first + lines_ <= std::ssize(lines),
              "payload channel: there is no such slot");
        return {reinterpret_cast<std::byte*>(lines.data() + first), largest_.value,
                device::MemoryKind::host};
    }

    Bytes largest_;
    std::int64_t lines_;  ///< of a slot
    std::vector<Line> outgoing_;
    std::vector<Line> incoming_;
    std::vector<std::int64_t> sizes_;  ///< of the payloads that came, by slot
};

}  // namespace quartet::flow

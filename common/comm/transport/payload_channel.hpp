#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/units.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// How receivers read payloads.
enum class PayloadReading {
    whole,      ///< all at once
    in_pieces,  ///< from the first byte to the last, each piece while the next one comes
};

/// The elements of a sender's payloads.
enum class PayloadValues {
    differ,
    same,  ///< all the same: its slots may be one memory, which is filled once
};

/// How many payloads a rank has under way at a time, and how large they are.
struct PayloadChannelPlan {
    int outgoing = 0;                                ///< slots for payloads that this rank sends
    int incoming = 0;                                ///< slots for payloads that it receives
    Bytes largest;                                   ///< of a payload; the same on all ranks
    PayloadReading reading = PayloadReading::whole;  ///< the same on all ranks
    PayloadValues values = PayloadValues::differ;    ///< the same on all ranks

    /// Outgoing slots that have memory of their own.
    [[nodiscard]] constexpr int outgoing_memories() const {
        return values == PayloadValues::same ? std::min(outgoing, 1) : outgoing;
    }
};

/// Memory of the CPU that a payload channel allocates on one rank.
struct PayloadMemory {
    Bytes host{};
    Bytes windows{};  ///< in windows that the ranks of the node share

    friend PayloadMemory operator+(const PayloadMemory& a, const PayloadMemory& b) {
        return {a.host + b.host, a.windows + b.windows};
    }
};

/// Tells a receiver how to fetch a payload. It travels in a control message.
struct PayloadDescriptor {
    std::int64_t size = 0;  ///< bytes
    std::int64_t slot = 0;  ///< outgoing, at the sender
};

/// Takes a piece of a payload that begins at its byte `first`; it stays readable during the call.
using UsePiece =
    std::function<void(std::int64_t first, const device::View<const std::byte>& piece)>;

/// Moves the payloads of queues, from any rank to any other, in the CPU's memory; it is page-locked
/// where the device is a GPU. A control message announces each one.
/// Neither side blocks the other. The sender sends only what the receiver has a slot for. A
/// receiver fetches one sender's payloads in the order in which they were sent. All members are
/// local.
class PayloadChannel {
  public:
    virtual ~PayloadChannel() = default;

    /// The memory of an outgoing slot, for the caller to fill. Aligned to 64 bytes, as contents().
    virtual device::View<std::byte> outgoing(int slot) = 0;
    /// Starts sending the first `size` bytes of an outgoing slot. They must not change until
    /// release(). What streams write there has been synchronized. Returns what to announce to the
    /// receiver.
    virtual PayloadDescriptor send(int slot, Bytes size, int to) = 0;
    /// Frees an outgoing slot; to be called once the receiver has said that it is done with it.
    virtual void release(int slot) = 0;

    /// Starts fetching an announced payload into an incoming slot.
    virtual void fetch(int slot, int from, const PayloadDescriptor& descriptor) = 0;
    /// Waits for the payload of an incoming slot, of a channel that is read whole. It lies there or
    /// in the sender's memory, and stays readable until this rank tells the sender that it is done
    /// with it; streams that read it have been synchronized by then.
    virtual device::View<const std::byte> contents(int slot) = 0;
    /// Hands the payload of an incoming slot to `use`, once: in pieces, aligned as it is, as they
    /// come, if the channel is planned so and has no faster way; an empty one not at all. What
    /// streams read of a piece has been synchronized when `use` returns.
    virtual void read(int slot, const UsePiece& use) {
        if (const auto payload = contents(slot); !payload.empty()) {
            use(0, payload);
        }
    }
    /// Ends the reading of an incoming slot, before this rank tells the sender that it is done.
    virtual void finish(int /*slot*/) {}
};

}  // namespace quartet::comm

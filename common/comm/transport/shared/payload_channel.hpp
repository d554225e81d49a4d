#pragma once

#include <cstdint>

#include "core/units.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// How much a rank has under way at a time.
struct MailPlan {
    int outgoing = 0;  ///< places for payloads that this rank sends
    int incoming = 0;  ///< places for payloads that it receives
    Bytes largest;     ///< of a payload; the same on all ranks
};

/// What a receiver needs to get hold of a payload: travels in a control message.
struct Parcel {
    std::int64_t size = 0;   ///< bytes
    std::int64_t place = 0;  ///< outgoing, at the sender
};

/// Payloads from any rank to any other, each announced by a control message: the bulk of a queue's
/// traffic. Neither side blocks the other, and nothing is sent that the receiver has no place for.
/// One pair's parcels are accepted in the order in which they were posted. All members are local.
class Mail {
  public:
    virtual ~Mail() = default;

    /// The memory of an outgoing place, to be filled; aligned, as contents() is, to 64 bytes.
    virtual device::View<std::byte> outgoing(int place) = 0;
    /// Starts sending the first `size` bytes of a place; its memory stays as it is until
    /// reclaim(). Returns what the receiver is to be told.
    virtual Parcel post(int place, Bytes size, int to) = 0;
    /// Makes the place free to be filled, once the receiver has said that it is done with it.
    virtual void reclaim(int place) = 0;

    /// Starts fetching what `from` has posted.
    virtual void accept(int place, int from, const Parcel& parcel) = 0;
    /// Waits for what was accepted. It stays readable, there or in the sender's memory, until the
    /// sender is told that this rank is done with it.
    virtual device::View<const std::byte> contents(int place) = 0;
};

}  // namespace quartet::comm

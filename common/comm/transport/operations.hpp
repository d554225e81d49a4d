#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

/// What kernels and queues call: plans, and prepared operations that allocate nothing when they
/// run. A transport makes them (transport.hpp).
namespace quartet::comm {

/// A push as the paper's STREAM has it: every sender's vector is added to the receiver's.
struct PushPlan {
    std::vector<int> senders;  ///< ranks, ascending, without the receiver
    int receiver = 0;
    device::View<const float> source;  ///< on a sender: what it pushes; from Transport::allocate
    device::View<float> target;  ///< on the receiver: what is added to; from Transport::allocate

    [[nodiscard]] bool sends(int rank) const { return std::ranges::binary_search(senders, rank); }
};

class Push {
  public:
    virtual ~Push() = default;

    /// `count` pushes, one after another: each reads every sender's source once and updates the
    /// target once. On the receiver, `stream` orders the additions. Returns on a sender when the
    /// last addition of its vector has been acknowledged, on the receiver when all are done.
    /// Collective over senders and receiver; others return at once.
    virtual void run(int count, device::Stream& stream) = 0;
};

/// An operation of all ranks.
class Collective {
  public:
    virtual ~Collective() = default;
    /// Collective.
    virtual void run(device::Stream& stream) = 0;
};

/// Whether the caller synchronises all ranks anyway, for example by a DeterministicAllreduce after
/// its stream was synchronised. Ranks that read each other's memory then need not do so again.
struct CallerBarriers {
    bool before = false;  ///< between every rank's last write of what is read and a run
    bool after = false;   ///< between a run and every rank's next such write
};

/// Every rank's part, everywhere: rank r's counts[r] bytes go to `all`, at the sum of the counts
/// before them.
struct AllGatherPlan {
    device::View<const std::byte> mine;  ///< from Transport::allocate
    device::View<std::byte> all;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallerBarriers barriers{};         ///< beside writes to `mine`
};

/// Sums over the ranks: rank r gets, in `mine`, the counts[r] elements of the sum of all
/// contributions that begin at the sum of the counts before them, added in the order of the ranks:
/// the same bits by every transport.
struct ReduceScatterPlan {
    device::View<const double> contribution;  ///< from Transport::allocate
    device::View<double> mine;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallerBarriers barriers{};         ///< beside writes to `contribution`
};

/// Parts from any ranks to any others: an all-to-all, or the rows of neighbours.
struct ExchangePlan {
    /// By receiver; from Transport::allocate; empty where nothing goes.
    std::vector<device::View<const std::byte>> send;
    /// By sender: bytes of its part. What this rank has for itself does not count.
    std::vector<std::int64_t> receive;
    /// By sender: where its part belongs if it is received; without any, in memory of the exchange.
    std::vector<device::View<std::byte>> land{};
    CallerBarriers barriers{};  ///< beside writes to `send`
};

/// Consecutive parts of `all`, of `counts` elements, as bytes.
template <typename T>
std::vector<device::View<T>> consecutive(device::View<T> all,
                                         const std::vector<std::int64_t>& counts) {
    std::vector<device::View<T>> parts;
    std::int64_t first = 0;
    for (const std::int64_t count : counts) {
        parts.push_back(all.part(first, count));
        first += count;
    }
    return parts;
}

/// Where the receiver uses another rank's data.
enum class Receive {
    copied,    ///< in a buffer of its own
    in_place,  ///< in the sender's memory
};

/// A prepared exchange. Only ranks that send something to each other wait for each other.
class Exchange : public Collective {
  public:
    /// The part from each rank, by rank; the own one lies where it was. Its data is there for the
    /// stream's work after run(), until release(); the place stays the same in every run.
    [[nodiscard]] virtual std::span<const device::View<const std::byte>> parts() const = 0;
    /// Says that the stream's work so far is the last that reads the parts: afterwards `send` may
    /// be written to again. Collective.
    virtual void release(device::Stream& stream) = 0;
};

/// Sums of a few numbers that the CPU has. Shares are added in rank order: the same bits on all
/// ranks, and by every transport.
class DeterministicAllreduce {
  public:
    virtual ~DeterministicAllreduce() = default;
    /// Makes each value its sum over the ranks; as many on all ranks, at most those planned.
    /// Collective.
    virtual void run(std::span<double> values) = 0;
};

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

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

/// What kernels and queues use: plans, and operations that a transport (transport.hpp) makes from
/// them, and that allocate nothing when they run.
namespace quartet::comm {

/// A push as in the paper's STREAM: every sender's vector is added to the receiver's.
struct PushPlan {
    std::vector<int> senders;  ///< ranks, ascending, without the receiver
    int receiver = 0;
    device::View<const float> source;  ///< on a sender: what it pushes; from Transport::allocate
    device::View<float> target;  ///< on the receiver: what it adds to; from Transport::allocate

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
    bool before = false;  ///< after every rank's last write of the data, before run()
    bool after = false;   ///< after run(), before any rank's next write of the data
};

/// Gives every rank the parts of all ranks: rank r's counts[r] bytes go to `all`, behind the parts
/// of the ranks before it.
struct AllGatherPlan {
    device::View<const std::byte> mine;  ///< from Transport::allocate
    device::View<std::byte> all;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallerBarriers barriers{};         ///< around writes to `mine`
};

/// Sums the ranks' contributions, and cuts the sum into parts of counts[0], counts[1] and so on
/// elements: rank r gets part r in `mine`. Contributions are added in the order of the ranks: the
/// same bits by every transport.
struct ReduceScatterPlan {
    device::View<const double> contribution;  ///< from Transport::allocate
    device::View<double> mine;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallerBarriers barriers{};         ///< around writes to `contribution`
};

/// Parts from any ranks to any others: an all-to-all, or the rows of neighbours.
struct ExchangePlan {
    /// By receiver; from Transport::allocate; empty where nothing is sent.
    std::vector<device::View<const std::byte>> send;
    /// By sender: bytes of its part. This rank's own entry does not count.
    std::vector<std::int64_t> receive;
    /// By sender: where its part is received, if the transport copies. If this is empty, the
    /// exchange has memory for the parts.
    std::vector<device::View<std::byte>> land{};
    CallerBarriers barriers{};  ///< around writes to `send`
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

/// Where a receiver uses another rank's data.
enum class Receive {
    copied,    ///< in a buffer of its own
    in_place,  ///< in the sender's memory
};

/// A prepared exchange. Only ranks that send something to each other wait for each other.
class Exchange : public Collective {
  public:
    /// The part from each rank, by rank; this rank's own part stays where it was. The stream's work
    /// may read the parts between run() and release(); they lie in the same places in every run.
    [[nodiscard]] virtual std::span<const device::View<const std::byte>> parts() const = 0;
    /// Says that the stream's work after this does not read the parts. Afterwards the caller may
    /// write to `send` again. Collective.
    virtual void release(device::Stream& stream) = 0;
};

/// Sums a few numbers in the CPU's memory over all ranks, in rank order: the same bits on all
/// ranks, and by every transport.
class DeterministicAllreduce {
  public:
    virtual ~DeterministicAllreduce() = default;
    /// Replaces each value by its sum over the ranks. All ranks pass equally many, at most as many
    /// as planned. Collective.
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
    same,  ///< all are the same: slots may share memory, which is filled once
};

/// How many payloads a rank has under way at a time, and how large they are.
struct PayloadChannelPlan {
    int outgoing = 0;                                ///< slots for payloads that this rank sends
    int incoming = 0;                                ///< slots for payloads that it receives
    Bytes largest;                                   ///< of a payload; the same on all ranks
    PayloadReading reading = PayloadReading::whole;  ///< the same on all ranks
    PayloadValues values = PayloadValues::differ;    ///< the same on all ranks
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
/// where the device is a GPU. A control message announces each payload. Neither side blocks the
/// other. The sender sends only what the receiver has a slot for. A receiver fetches one sender's
/// payloads in the order in which they were sent. All members are local.
class PayloadChannel {
  public:
    virtual ~PayloadChannel() = default;

    /// The memory of an outgoing slot, for the caller to fill. Aligned to 64 bytes, as contents()
    /// is.
    virtual device::View<std::byte> outgoing(int slot) = 0;
    /// Starts sending the first `size` bytes of an outgoing slot. They must not change until
    /// release(). Streams that write them must be synchronized before. Returns what to announce to
    /// the receiver.
    virtual PayloadDescriptor send(int slot, Bytes size, int to) = 0;
    /// Frees an outgoing slot; to be called once the receiver has said that it is done with it.
    virtual void release(int slot) = 0;

    /// Starts fetching an announced payload into an incoming slot.
    virtual void fetch(int slot, int from, const PayloadDescriptor& descriptor) = 0;
    /// Waits for the payload of an incoming slot, if payloads are read whole. It lies there or in
    /// the sender's memory, and stays readable until this rank tells the sender that it is done
    /// with it. Streams that read it must be synchronized before that.
    virtual device::View<const std::byte> contents(int slot) = 0;
    /// Passes the payload of an incoming slot to `use`, once: in pieces as they arrive, if the
    /// channel is planned so and copies, else whole; each aligned to 64 bytes. Calls nothing for an
    /// empty payload. `use` must synchronize the streams that read a piece before it returns.
    virtual void read(int slot, const UsePiece& use) {
        if (const auto payload = contents(slot); !payload.empty()) {
            use(0, payload);
        }
    }
    /// Ends the reading of an incoming slot, before this rank tells the sender that it is done.
    virtual void finish(int /*slot*/) {}
};

}  // namespace quartet::comm

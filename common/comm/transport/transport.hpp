#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/payload_channel.hpp"
#include "comm/transport/transport_traits.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// A push as the paper's STREAM has it: every sender's vector is added to the receiver's.
struct PushPlan {
    std::vector<int> senders;  ///< ranks, ascending, without the receiver
    int receiver = 0;
    device::View<const float> source;  ///< on a sender: what it pushes; from Transport::allocate
    device::View<float> target;  ///< on the receiver: what is added to; from Transport::allocate
};

/// A prepared push: windows, staging memory and handles are there, so that running it allocates
/// nothing.
class Push {
  public:
    virtual ~Push() = default;

    /// `count` pushes, one after another: each reads every sender's source once and updates the
    /// target once. On the receiver, `stream` orders the additions. Returns on a sender when the
    /// last addition of its vector has been acknowledged, on the receiver when all are done.
    /// Collective over senders and receiver; others return at once.
    virtual void run(int count, device::Stream& stream) = 0;
};

/// A prepared operation of all ranks: its counts are agreed and its memory is there, so that
/// running it allocates nothing.
class Collective {
  public:
    virtual ~Collective() = default;
    /// Collective.
    virtual void run(device::Stream& stream) = 0;
};

/// Every rank's part, everywhere: rank r's counts[r] bytes go to `all`, at the sum of the counts
/// before them.
struct AllGatherPlan {
    device::View<const std::byte> mine;  ///< from Transport::allocate
    device::View<std::byte> all;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
};

/// Sums over the ranks: rank r gets, in `mine`, the counts[r] elements of the sum of all
/// contributions that begin at the sum of the counts before them. The same ranks and counts give
/// the same bits.
struct ReduceScatterPlan {
    device::View<const double> contribution;  ///< from Transport::allocate
    device::View<double> mine;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
};

/// Part r of `send`, counts[r] bytes, goes to rank r.
struct ExchangePlan {
    device::View<const std::byte> send;  ///< from Transport::allocate
    std::vector<std::int64_t> counts;    ///< by receiving rank
};

/// A prepared all-to-all.
class Exchange : public Collective {
  public:
    [[nodiscard]] virtual PartLocation location() const = 0;
    /// The part from each rank, by rank. Its data is there for the stream's work after run(), until
    /// release(); the place stays the same in every run.
    [[nodiscard]] virtual std::span<const device::View<const std::byte>> parts() const = 0;
    /// Says that the stream's work so far is the last that reads the parts: afterwards `send` may
    /// be written to again. Collective.
    virtual void release(device::Stream& stream) = 0;
};

/// Prepared sums of a few numbers that the CPU has, which running allocates nothing. Shares are
/// added in rank order: the same bits on all ranks, and by every transport.
class OrderedSum {
  public:
    virtual ~OrderedSum() = default;
    /// Makes each value its sum over the ranks; as many on all ranks, at most those planned.
    /// Collective.
    virtual void run(std::span<double> values) = 0;
};

/// Moves bulk data between the ranks of one communicator. Its traits declare what it can do; asking
/// for anything else throws Failure. Each operation is ordered after the stream's earlier work, and
/// its result is there for the stream's later work. Counts are elements or bytes, 64-bit. Control
/// messages, and scalars that no step waits for, go by ControlChannel and Communicator instead.
class Transport {
  public:
    virtual ~Transport() = default;

    [[nodiscard]] virtual const TransportTraits& traits() const = 0;
    [[nodiscard]] std::string_view name() const { return traits().name; }
    [[nodiscard]] bool can(Capability capability) const { return traits().can(capability); }
    /// Settings and properties worth recording ("window on huge pages").
    [[nodiscard]] virtual std::string description() const { return {}; }
    /// Whether the kernel maps what it reads in place by huge pages; nothing where it reads nothing
    /// in place, or nothing was prepared yet. Same answer on all ranks.
    [[nodiscard]] virtual std::optional<bool> huge_pages() const { return std::nullopt; }

    /// Memory that this transport can reach on all ranks. Collective over the communicator; sizes
    /// may differ and may be 0. Zeroed. Releasing it is collective too, in the order of allocation
    /// reversed or not, but the same on all ranks.
    virtual device::Allocation allocate(Bytes size) = 0;

    /// Collective over the communicator.
    virtual std::unique_ptr<Push> prepare_push(const PushPlan& plan);

    /// Blocking, matched by the peer's call of the other kind; pairs stay in order.
    virtual void send(device::View<const std::byte> data, int to, device::Stream& stream);
    virtual void receive(device::View<std::byte> data, int from, device::Stream& stream);

    /// Making and destroying it is collective over the communicator. Payloads lie on GPUs only
    /// where the traits say so.
    virtual std::unique_ptr<PayloadChannel> prepare_payload_channel(const PayloadChannelPlan& plan);

    /// Collective over the communicator, as are the operations that they return.
    virtual std::unique_ptr<Collective> prepare_all_gather(const AllGatherPlan& plan);
    virtual std::unique_ptr<Collective> prepare_reduce_scatter(const ReduceScatterPlan& plan);
    virtual std::unique_ptr<Exchange> prepare_exchange(const ExchangePlan& plan);

    /// Sums of at most `most` numbers. By MPI on `comm`, which has the transport's ranks and
    /// outlives it, unless the transport has a faster way. Every transport has this. Collective.
    virtual std::unique_ptr<OrderedSum> prepare_ordered_sum(const Communicator& comm, int most);
};

/// `count` elements of T from `transport`. Collective.
template <typename T>
device::Buffer<T> allocate(Transport& transport, std::int64_t count) {
    return {transport.allocate(bytes_of<T>(count)), count};
}

}  // namespace quartet::comm

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/operations.hpp"
#include "comm/transport/payload_channel.hpp"
#include "comm/transport/transport_traits.hpp"
#include "device/device.hpp"

namespace quartet::comm {

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
    /// Whether the kernel maps by huge pages what this rank reads in place; nothing if it reads
    /// nothing in place, or nothing has been prepared yet. Same answer on all ranks.
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

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// What a transport may be able to do.
enum class Capability { push, send_receive, all_gather, reduce_scatter, all_to_all };
std::string_view name(Capability capability);

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

/// Moves bulk data between the ranks of one communicator. What it can do it declares; asking for
/// anything else throws Failure. Each operation is ordered after the stream's earlier work, and
/// its result is there for the stream's later work. Counts are elements or bytes, 64-bit. Control
/// messages and scalars go by ControlChannel and Communicator instead.
class Transport {
  public:
    virtual ~Transport() = default;

    /// As on the command line.
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual bool can(Capability capability) const = 0;
    /// Settings and properties worth recording ("window on huge pages").
    [[nodiscard]] virtual std::string description() const { return {}; }

    /// Memory that this transport can reach on all ranks. Collective over the communicator; sizes
    /// may differ and may be 0. Zeroed. Releasing it is collective too, in the order of allocation
    /// reversed or not, but the same on all ranks.
    virtual device::Allocation allocate(Bytes size) = 0;

    /// Collective over the communicator.
    virtual std::unique_ptr<Push> prepare_push(const PushPlan& plan);

    /// Blocking, matched by the peer's call of the other kind; pairs stay in order.
    virtual void send(device::View<const std::byte> data, int to, device::Stream& stream);
    virtual void receive(device::View<std::byte> data, int from, device::Stream& stream);

    /// `all` holds rank r's counts[r] bytes at the sum of the counts before it. Collective.
    virtual void all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                            std::span<const std::int64_t> counts, device::Stream& stream);

    /// Rank r gets, in `mine`, elements [sum of counts before r, + counts[r]) of the sum over the
    /// ranks of `contribution`. The same ranks and counts give the same bits. Collective.
    virtual void reduce_scatter(device::View<const double> contribution, device::View<double> mine,
                                std::span<const std::int64_t> counts, device::Stream& stream);

    /// Part r of `send`, send_counts[r] bytes, goes to rank r; received parts are stored in rank
    /// order. Collective.
    virtual void all_to_all(device::View<const std::byte> send,
                            std::span<const std::int64_t> send_counts,
                            device::View<std::byte> receive,
                            std::span<const std::int64_t> receive_counts, device::Stream& stream);
};

/// `count` elements of T from `transport`. Collective.
template <typename T>
device::Buffer<T> allocate(Transport& transport, std::int64_t count) {
    return {transport.allocate(bytes_of<T>(count)), count};
}

}  // namespace quartet::comm

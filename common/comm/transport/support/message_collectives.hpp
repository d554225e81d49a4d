#pragma once

#include <memory>
#include <span>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// Messages between ranks from and to memory of the device: what a transport has that knows no
/// better for an operation than to send every part where it belongs.
class Messages {
  public:
    struct Outgoing {
        int to = 0;
        device::View<const std::byte> data;
    };
    struct Incoming {
        int from = 0;
        device::View<std::byte> data;
    };

    virtual ~Messages() = default;
    /// Sends and receives all of them at once: after the stream's earlier work, and before its
    /// later work. What one rank sends to another the other expects, in the same order and sizes;
    /// nothing is sent to the own rank.
    virtual void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                          device::Stream& stream) = 0;
};

/// What the operations are made from; all of it outlives them.
struct MessageContext {
    const Communicator& comm;
    Messages& messages;
    device::Device& device;
};

/// Collective, as are the operations. Sums are made in the order of the ranks.
std::unique_ptr<Collective> make_message_all_gather(const AllGatherPlan& plan,
                                                    const MessageContext& context);
/// Memory of the next operation: a row from each other rank.
Bytes message_reduce_scatter_memory(int ranks, Bytes mine);
std::unique_ptr<Collective> make_message_reduce_scatter(const ReduceScatterPlan& plan,
                                                        const MessageContext& context);
/// Receives into memory of its own.
std::unique_ptr<Exchange> make_message_exchange(const ExchangePlan& plan,
                                                const MessageContext& context);

}  // namespace quartet::comm

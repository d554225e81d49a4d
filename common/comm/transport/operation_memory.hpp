#pragma once

#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// The memory that the operations of a transport allocate on one rank beside their arguments, known
/// before the transport is made. The operations allocate by the same functions. All members are
/// local.
class OperationMemory {
  public:
    OperationMemory(const TransportTraits& traits, const OperationContext& context)
        : traits_(traits), context_(context) {}

    /// Memory of a push on the receiver, on which the device computes.
    [[nodiscard]] Bytes push(const IncomingPushes& pushes) const {
        return traits_.push_memory == nullptr ? Bytes{} : traits_.push_memory(pushes, context_);
    }
    /// Memory of an exchange that brings this rank `received` bytes, on which the device computes.
    [[nodiscard]] Bytes exchange(Bytes received) const {
        return traits_.location == PartLocation::received ? received : Bytes{};
    }
    /// Memory of a reduce-scatter that gives each rank `mine` bytes, on which the device computes.
    [[nodiscard]] Bytes reduce_scatter(int ranks, Bytes mine) const {
        return traits_.reduce_scatter_memory == nullptr
                   ? Bytes{}
                   : traits_.reduce_scatter_memory(ranks, mine, context_);
    }
    [[nodiscard]] PayloadMemory payload_channel(const PayloadChannelPlan& plan) const {
        return traits_.payload_memory == nullptr ? PayloadMemory{}
                                                 : traits_.payload_memory(plan, context_);
    }
    /// Whether payloads are copied to their receivers. Otherwise receivers have no memory for them,
    /// and read them in place.
    [[nodiscard]] bool payloads_travel() const {
        const PayloadMemory received = payload_channel({.incoming = 1, .largest = {1}});
        return received.host + received.windows > Bytes{};
    }

  private:
    TransportTraits traits_;
    OperationContext context_;
};

}  // namespace quartet::comm

#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport_traits.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Memory of such a channel: a payload for each slot, or a few pieces if incoming payloads are read
/// in pieces only.
PayloadMemory mpi_payload_memory(const PayloadChannelPlan& plan, const TransportSettings& settings);

/// Payloads by non-blocking messages on the channel's own communicator. Collective; device and
/// track outlive it.
std::unique_ptr<PayloadChannel> make_mpi_payload_channel(const PayloadChannelPlan& plan,
                                                         const Communicator& comm,
                                                         device::Device& device, Track& track,
                                                         const TransportSettings& settings);

}  // namespace quartet::comm

#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport_traits.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// What such a channel allocates: a payload for each slot, but for incoming ones that are read in
/// pieces only a few pieces.
PayloadMemory mpi_payload_memory(const PayloadChannelPlan& plan, const TransportSettings& settings);

/// Payloads by non-blocking messages on a communicator of its own. Collective; device and track
/// outlive it.
std::unique_ptr<PayloadChannel> make_mpi_payload_channel(const PayloadChannelPlan& plan,
                                                         const Communicator& comm,
                                                         device::Device& device, Track& track,
                                                         const TransportSettings& settings);

}  // namespace quartet::comm

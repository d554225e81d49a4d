#pragma once

#include <memory>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/payload_channel.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Payloads that their receivers fetch by gRPC, as the paper's TensorFlow does (VI.A): a call for
/// each, answered from the sender's slot. `host`: where senders listen. Collective; throws Failure,
/// on all ranks alike, if one cannot listen. Device and track outlive it.
std::unique_ptr<PayloadChannel> make_grpc_payload_channel(const PayloadChannelPlan& plan,
                                                          const Communicator& comm,
                                                          device::Device& device,
                                                          const std::string& host, Track& track);

}  // namespace quartet::comm

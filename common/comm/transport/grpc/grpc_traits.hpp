#pragma once

#include <algorithm>

#include "comm/transport/support/chunks.hpp"
#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// Chunks of one sender that are under way at a time: one is added, one is there, two travel.
inline int grpc_push_depth(const TransportSettings& settings) {
    return settings.pipeline == Pipeline::on ? 4 : 1;
}

/// How pushed vectors are cut: into whole floats. A message of gRPC's ends at 2 GiB.
inline Chunks grpc_chunks(Bytes vector, const TransportSettings& settings) {
    constexpr std::int64_t element = sizeof(float);
    constexpr std::int64_t most = gibibytes(1).value;
    return {vector.value,
            {settings.pipeline == Pipeline::on
                 ? std::clamp(settings.chunk.value / element * element, element, most)
                 : most}};
}

/// The paper's TensorFlow moves data between hosts' memories by this (VI.A). The traits are the
/// same in a build without gRPC. Received data lies in gRPC's messages as well.
inline constexpr TransportTraits grpc_traits{
    .name = "grpc",
    .capabilities = {Capability::push, Capability::payload_channel},
    .memory = TransportMemory::host,
    .push_memory =
        [](const IncomingPushes& pushes, const OperationContext& here) {
            return std::int64_t{2} * grpc_push_depth(here.settings) * pushes.senders *
                   grpc_chunks(pushes.size, here.settings).largest();
        },
    .payload_memory =
        [](const PayloadChannelPlan& plan, const OperationContext&) {
            return PayloadMemory{.host = (plan.outgoing + 2 * plan.incoming) * plan.largest};
        },
};

}  // namespace quartet::comm

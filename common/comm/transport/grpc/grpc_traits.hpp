#pragma once

#include <algorithm>

#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// Chunks of one sender that are not acknowledged yet: one is added, one is there, one travels, one
/// is made.
inline constexpr int grpc_push_depth = 4;

/// Pushes alone: the paper's slowest protocol (VI.A). The same where the build has no gRPC.
inline constexpr TransportTraits grpc_traits{
    .name = "grpc",
    .capabilities = {Capability::push},
    .memory = TransportMemory::host,
    .chunking = Chunking::pipelined,
    // As messages in gRPC's own memory.
    .push_memory =
        [](const IncomingPushes& pushes, const OperationContext& here) {
            const bool pipelined = here.settings.pipeline == Pipeline::on;
            const Bytes chunk =
                pipelined ? std::min(here.settings.chunk, pushes.size) : pushes.size;
            return (pipelined ? grpc_push_depth : 1) * pushes.senders * chunk;
        },
};

}  // namespace quartet::comm

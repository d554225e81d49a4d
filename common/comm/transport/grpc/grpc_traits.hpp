#pragma once

#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// Pushes alone: the paper's slowest protocol (VI.A). The same where the build has no gRPC.
inline constexpr TransportTraits grpc_traits{
    .name = "grpc",
    .capabilities = {Capability::push},
    .memory = TransportMemory::host,
    .chunking = Chunking::pipelined,
};

}  // namespace quartet::comm

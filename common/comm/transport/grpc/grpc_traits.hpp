#pragma once

#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// The paper's TensorFlow moves data between hosts' memories by this (VI.A). The traits are the
/// same in a build without gRPC.
inline constexpr TransportTraits grpc_traits{
    .name = "grpc",
    .memory = TransportMemory::host,
    .under_way = 4,  // one is being added, one has come, two travel
    .copies = 2,     // gRPC's messages hold one, too
};

}  // namespace quartet::comm

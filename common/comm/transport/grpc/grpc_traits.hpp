#pragma once

#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// The paper's TensorFlow moves data between hosts' memories by this (VI.A). The traits are the
/// same in a build without gRPC.
inline constexpr TransportTraits grpc_traits{
    .name = "grpc",
    .memory = TransportMemory::host,
    .under_way = 4,  // one is added, one is there, two travel
    .copies = 2,     // it lies in gRPC's messages as well
};

}  // namespace quartet::comm

#pragma once

#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

/// gRPC, for pushes alone: the paper's slowest protocol (VI.A). It listens on the loopback device
/// within a node, on a private network between nodes, or where QUARTET_GRPC_ADDRESS says. Where the
/// build has no gRPC it is known by name, with the reason.
TransportKind grpc_transport();

}  // namespace quartet::comm

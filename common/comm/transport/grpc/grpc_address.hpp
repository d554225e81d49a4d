#pragma once

#include <optional>
#include <string>

#include "comm/topology/topology.hpp"

namespace quartet::comm {

/// Names the address to listen on.
inline constexpr const char* grpc_address_variable = "QUARTET_GRPC_ADDRESS";

/// The address on which this rank listens: 127.0.0.1 within a node, where nobody else can hear it,
/// between nodes the first private one, or what the user says. Nothing where there is none. Local.
std::optional<std::string> grpc_address(const Topology& topology);

/// Why nothing can listen on an address, or what listens cannot be reached there; nothing where it
/// can. gRPC would write lines of its own about it. Local.
std::optional<std::string> why_not_heard_on(const std::string& address);

}  // namespace quartet::comm

#pragma once

#include <optional>
#include <string>

#include "comm/topology/topology.hpp"

namespace quartet::comm {

/// The environment variable that names the address to listen on.
inline constexpr const char* grpc_address_variable = "QUARTET_GRPC_ADDRESS";

/// The address on which this rank listens: within a node 127.0.0.1, which other hosts cannot reach;
/// between nodes the first private one, or the one that the user names. Nothing if there is none.
/// Local.
std::optional<std::string> grpc_address(const Topology& topology);

/// Why this rank cannot listen on an address, or cannot be reached there; nothing if it can. This
/// is checked first, because gRPC would write several lines about it. Local.
std::optional<std::string> why_not_heard_on(const std::string& address);

}  // namespace quartet::comm

#pragma once

#include "comm/transport/registry/transport_registry.hpp"

namespace quartet::faults {

/// The same transport, but that all it brings passes the sites push, gather, reduce, exchange,
/// payload and receive. Where parts are read in place, the sender's memory is what is damaged.
comm::TransportKind faulty(const comm::TransportKind& sound);

}  // namespace quartet::faults

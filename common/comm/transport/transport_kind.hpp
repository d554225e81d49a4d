#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/transport.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// What a transport is made from; all of it outlives the transport.
struct TransportContext {
    const Communicator& world;
    const Topology& topology;
    device::Device& device;
    Trace& trace;
    TransportSettings settings;
};

/// For TransportKind::make.
template <typename T>
std::unique_ptr<Transport> make_transport(const TransportContext& context) {
    return std::make_unique<T>(context);
}

/// One way to move data: its traits, whether it can work here, and how to make it.
struct TransportKind {
    TransportTraits traits;
    /// Why it cannot be had here, or nothing. Asked only if the traits fit the device and the
    /// number of nodes. Collective; the same answer on all ranks.
    std::function<std::optional<std::string>(const TransportContext&)> why_not{};
    /// Collective.
    std::function<std::unique_ptr<Transport>(const TransportContext&)> make{};
    /// Why this build lacks it, if it does: then neither function is called.
    std::optional<std::string> absence{};
};

}  // namespace quartet::comm

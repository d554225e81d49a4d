#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/transport.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// Whether transfers in pieces overlap with what is done with the pieces.
enum class Pipeline { on, off };

struct TransportSettings {
    Bytes chunk = mebibytes(2);
    Pipeline pipeline = Pipeline::on;
};

/// What a transport is made from; all of it outlives the transport.
struct TransportContext {
    const Communicator& world;
    const Topology& topology;
    device::Device& device;
    Trace& trace;
    TransportSettings settings;
};

/// One way to move data: its name, whether it can work here, and how to make it.
struct TransportKind {
    std::string name;
    /// Why it cannot be had here, or nothing. Collective; the same answer on all ranks.
    std::function<std::optional<std::string>(const TransportContext&)> why_not;
    /// Collective.
    std::function<std::unique_ptr<Transport>(const TransportContext&)> make;
};

/// The transports by name, in the order of the command line's help. Not global: tests add their
/// own.
class TransportRegistry {
  public:
    /// All transports of the suite, those that this build lacks included (with the reason).
    static TransportRegistry standard();

    /// Adds a kind or replaces the one of its name.
    void add(TransportKind kind);

    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// Why it cannot be had here, or nothing. Collective.
    [[nodiscard]] std::optional<std::string> why_not(std::string_view name,
                                                     const TransportContext& context) const;
    /// What `auto` stands for: on the host shm on one node, else mpi; on GPUs ipc on one node whose
    /// ranks can map one another's memory, else mpi where it reaches GPUs, else nccl where each
    /// rank has a GPU of its own, else staged. Collective.
    [[nodiscard]] std::string automatic(const TransportContext& context) const;
    /// Throws Unavailable with the reason. Collective.
    [[nodiscard]] std::unique_ptr<Transport> make(std::string_view name,
                                                  const TransportContext& context) const;

  private:
    [[nodiscard]] const TransportKind& find(std::string_view name) const;

    std::vector<TransportKind> kinds_;
};

/// Why a transport of the host's memory cannot serve a device whose operations work on memory of
/// that kind, or nothing.
std::optional<std::string> why_no_host_memory(device::MemoryKind kind);

/// The transports of this layer; each in the file of its name.
TransportKind mpi_transport();
TransportKind shm_transport();
TransportKind rma_transport();
TransportKind staged_transport();
TransportKind nccl_transport();
TransportKind ipc_transport();

}  // namespace quartet::comm

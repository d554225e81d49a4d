#include "comm/transport/transport_registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/topology/gpus_of_ranks.hpp"
#include "comm/transport/grpc/grpc_transport.hpp"

namespace quartet::comm {

namespace {

// A transport whose buffers are memory of the host.
TransportKind of_host_memory(TransportKind kind) {
    kind.why_not = [why_not = kind.why_not](const TransportContext& context) {
        const auto reason = why_no_host_memory(context.device.memory_kind());
        return reason ? reason : why_not(context);
    };
    return kind;
}

}  // namespace

std::optional<std::string> why_no_host_memory(device::MemoryKind kind) {
    if (kind == device::MemoryKind::host) {
        return std::nullopt;
    }
    return "it moves memory of the host (a GPU computes on its own): use --transport ipc, nccl or "
           "staged, or --device host";
}

TransportRegistry TransportRegistry::standard() {
    TransportRegistry registry;
    registry.add(mpi_transport());
    registry.add(staged_transport());
    registry.add(of_host_memory(shm_transport()));
    registry.add(of_host_memory(rma_transport()));
    registry.add(nccl_transport());
    registry.add(ipc_transport());
    registry.add(of_host_memory(grpc_transport()));
    return registry;
}

void TransportRegistry::add(TransportKind kind) {
    const auto same = std::ranges::find(kinds_, kind.name, &TransportKind::name);
    if (same == kinds_.end()) {
        kinds_.push_back(std::move(kind));
    } else {
        *same = std::move(kind);
    }
}

std::vector<std::string> TransportRegistry::names() const {
    std::vector<std::string> names;
    std::ranges::transform(kinds_, std::back_inserter(names), &TransportKind::name);
    return names;
}

bool TransportRegistry::has(std::string_view name) const {
    return std::ranges::find(kinds_, name, &TransportKind::name) != kinds_.end();
}

const TransportKind& TransportRegistry::find(std::string_view name) const {
    const auto kind = std::ranges::find(kinds_, name, &TransportKind::name);
    if (kind == kinds_.end()) {
        throw UsageError(fmt::format("no transport is called {}: see --list", quotation(name)));
    }
    return *kind;
}

std::optional<std::string> TransportRegistry::why_not(std::string_view name,
                                                      const TransportContext& context) const {
    return find(name).why_not(context);
}

std::string TransportRegistry::automatic(const TransportContext& context) const {
    if (context.device.memory_kind() != device::MemoryKind::device) {
        return why_not("shm", context) ? "mpi" : "shm";
    }
    for (const std::string name : {"ipc", "mpi", "nccl"}) {
        // Where ranks share a GPU, NCCL is for checking results only.
        const bool shared = name == "nccl" && any_shared(gpus_of_ranks(context));
        if (!shared && !why_not(name, context)) {
            return name;
        }
    }
    return "staged";
}

std::unique_ptr<Transport> TransportRegistry::make(std::string_view name,
                                                   const TransportContext& context) const {
    const TransportKind& kind = find(name);
    if (const auto reason = kind.why_not(context)) {
        throw Unavailable(*reason);
    }
    return kind.make(context);
}

}  // namespace quartet::comm

#include "comm/transport/registry/transport_registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transport_kinds.hpp"

namespace quartet::comm {

TransportRegistry TransportRegistry::standard() {
    TransportRegistry registry;
    for (const auto kind : transport_kinds) {
        registry.add(kind());
    }
    return registry;
}

std::string TransportRegistry::plain_mpi() {
    return "mpi";
}

std::string TransportRegistry::automatic(const TransportContext& context) const {
    // In this order. The last is the answer if no other is available.
    std::vector<std::string_view> choices{"shm", "mpi"};
    if (device::has_own_memory(context.device)) {
        choices = {"ipc", "mpi", "nccl", "staged"};
    }
    const auto serves = [&](std::string_view name) {
        return (traits(name).shared_gpus == SharedGpus::served ||
                !any_shared(gpus_of_ranks(context))) &&
               !why_not(name, context);
    };
    return std::string(*std::find_if(choices.begin(), choices.end() - 1, serves));
}

void TransportRegistry::add(TransportKind kind) {
    const auto same = std::ranges::find(kinds_, kind.traits.name, name_of);
    if (same == kinds_.end()) {
        kinds_.push_back(std::move(kind));
    } else {
        *same = std::move(kind);
    }
}

std::vector<std::string> TransportRegistry::names() const {
    std::vector<std::string> names;
    for (const TransportKind& known : kinds_) {
        names.emplace_back(known.traits.name);
    }
    return names;
}

const TransportKind& TransportRegistry::kind(std::string_view name) const {
    const auto found = std::ranges::find(kinds_, name, name_of);
    if (found == kinds_.end()) {
        throw UsageError(fmt::format("no transport is called {}: see --list", quotation(name)));
    }
    return *found;
}

std::string TransportRegistry::substitutes(const TransportContext& context) const {
    std::vector<std::string_view> names;
    for (const TransportKind& other : kinds_) {
        const TransportTraits& traits = other.traits;
        if (traits.moves(context.device.memory_kind()) &&
            (traits.reach == Reach::all_nodes || context.topology.nodes() == 1)) {
            names.push_back(traits.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<std::string> TransportRegistry::why_not(std::string_view name,
                                                      const TransportContext& context) const {
    const TransportKind& asked = kind(name);
    if (asked.absence) {
        return asked.absence;
    }
    if (!asked.traits.moves(context.device.memory_kind())) {
        return asked.traits.memory == TransportMemory::gpu
                   ? fmt::format(
                         "transport {} moves memory of GPUs: use --device cuda, or --transport {}",
                         name, substitutes(context))
                   : fmt::format(
                         "transport {} moves memory of the host (a GPU computes on its "
                         "own): use --device host, or --transport {}",
                         name, substitutes(context));
    }
    if (asked.traits.reach == Reach::one_node && context.topology.nodes() > 1) {
        return fmt::format(
            "transport {} reaches one node (the ranks are on {}): use --transport {}", name,
            context.topology.nodes(), substitutes(context));
    }
    return asked.why_not(context);
}

std::unique_ptr<Transport> TransportRegistry::make(std::string_view name,
                                                   const TransportContext& context) const {
    if (const auto reason = why_not(name, context)) {
        throw Unavailable(*reason);
    }
    return kind(name).make(context);
}

void require_plain_mpi(const Transport& transport, std::string_view user) {
    if (transport.name() != TransportRegistry::plain_mpi()) {
        throw Unavailable(fmt::format("{} is plain MPI (transport {} is not): use --transport {}",
                                      user, transport.name(), TransportRegistry::plain_mpi()));
    }
}

}  // namespace quartet::comm

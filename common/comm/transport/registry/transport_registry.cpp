#include "comm/transport/registry/transport_registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "transport_kinds.hpp"

namespace quartet::comm {

TransportRegistry TransportRegistry::standard() {
    TransportRegistry registry;
    for (const auto kind : transport_kinds) {
        registry.add(kind());
    }
    return registry;
}

namespace {

// The choices of `auto`, in this order. The last is its answer if no other is available.
constexpr std::array<std::string_view, 2> host_choices{"shm", "mpi"};
constexpr std::array<std::string_view, 4> gpu_choices{"ipc", "mpi", "nccl", "staged"};

}  // namespace

std::string TransportRegistry::plain_mpi() {
    return "mpi";
}

std::string TransportRegistry::automatic(const TransportContext& context) const {
    const bool on_gpu = device::has_own_memory(context.device);
    std::span<const std::string_view> choices = host_choices;
    if (on_gpu) {
        choices = gpu_choices;
    }
    const auto serves = [&](std::string_view name) {
        return (traits(name).shared_gpus == SharedGpus::served ||
                !any_shared(gpus_of_ranks(context))) &&
               !why_not(name, context);
    };
    const auto others = choices.first(choices.size() - 1);
    const auto choice = std::ranges::find_if(others, serves);
    return std::string(choice == others.end() ? choices.back() : *choice);
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

bool TransportRegistry::has(std::string_view name) const {
    return std::ranges::find(kinds_, name, name_of) != kinds_.end();
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

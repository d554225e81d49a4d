#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// The transports by name, in the order of the command line's help. Not global: tests add their
/// own.
class TransportRegistry {
  public:
    /// All transports of the suite, those that this build lacks included (with the reason).
    static TransportRegistry standard();
    /// The transport that calls plain MPI: formulation `library` stands for it, and probes of links
    /// between ranks use it.
    static std::string plain_mpi();

    /// Adds a kind, or replaces the kind of the same name.
    void add(TransportKind kind);

    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::find(kinds_, name, name_of) != kinds_.end();
    }
    /// Throws UsageError if there is none of that name. Local.
    [[nodiscard]] const TransportKind& kind(std::string_view name) const;
    [[nodiscard]] const TransportTraits& traits(std::string_view name) const {
        return kind(name).traits;
    }
    /// Why this transport cannot be had here, or nothing. Collective.
    [[nodiscard]] std::optional<std::string> why_not(std::string_view name,
                                                     const TransportContext& context) const;
    /// The transport that `auto` stands for. On the host: shm on one node, else mpi. On GPUs: ipc
    /// on one node whose ranks can map one another's memory, else mpi if it reaches GPUs, else nccl
    /// if each rank has its own GPU, else staged. Collective.
    [[nodiscard]] std::string automatic(const TransportContext& context) const;
    /// Makes a transport. Throws Unavailable, with the reason, if it cannot be had. Collective.
    [[nodiscard]] std::unique_ptr<Transport> make(std::string_view name,
                                                  const TransportContext& context) const;

  private:
    static std::string_view name_of(const TransportKind& kind) { return kind.traits.name; }
    /// The names, with commas, of the transports that fit the device and the nodes.
    [[nodiscard]] std::string substitutes(const TransportContext& context) const;

    std::vector<TransportKind> kinds_;
};

/// Throws Unavailable unless the transport is plain_mpi(), which `user` stands for. Local.
void require_plain_mpi(const Transport& transport, std::string_view user);

}  // namespace quartet::comm

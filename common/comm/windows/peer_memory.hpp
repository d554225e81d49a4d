#pragma once

#include <vector>

#include "device/memory.hpp"

namespace quartet::comm {

/// Memory of the ranks of one node that each of them reads in place.
class PeerMemory {
  public:
    virtual ~PeerMemory() = default;

    /// Each rank's `mine` as this process sees it, by rank; sizes may differ. Parts that are not
    /// empty must have been allocated as such memory, else Failure is thrown. Collective.
    [[nodiscard]] virtual std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) const = 0;

    /// Makes this rank's stores visible to others, and theirs to this one, on both sides of what
    /// synchronises the ranks. Local.
    virtual void synchronise_memory() const = 0;
};

}  // namespace quartet::comm

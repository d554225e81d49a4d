#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "device/accelerator.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// Allocations that all ranks of a node make together, and that each process has mapped.
class JointMemory {
  public:
    /// Each rank's part of the allocation in which `mine` begins, by rank. Local.
    [[nodiscard]] std::vector<device::View<std::byte>> parts(const std::byte* mine) const;
    /// Each rank's `mine` as this process sees it, by rank; sizes may differ. Parts that are not
    /// empty must have been allocated here, else Failure is thrown. Collective.
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) const;

  protected:
    struct Entry {
        std::int64_t number = 0;
        std::vector<device::Allocation> parts;  ///< by rank
        std::vector<device::Allocation> locks;  ///< of the pages of all ranks' parts
    };

    JointMemory(const Communicator& ranks, device::MemoryKind kind) : ranks_(ranks), kind_(kind) {}

    [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(ranks_.rank()); }
    /// Keeps an allocation, under the same number on all ranks.
    std::list<Entry>::iterator keep(Entry entry) {
        entry.number = next_++;
        return entries_.insert(entries_.end(), std::move(entry));
    }
    [[nodiscard]] const Entry* entry_of(const std::byte* data, std::int64_t size) const;

    const Communicator& ranks_;
    device::MemoryKind kind_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
};

/// Memory of the hosts, for the ranks of one node. It lies in files without names: nothing is left
/// behind when processes are killed, and no file system limits its size. Peers reach a file by the
/// descriptor of its owner, so all need one PID namespace and one user.
class SharedMemory final : public JointMemory {
  public:
    /// With an accelerator, every rank's part is page-locked in every process, for its copies.
    /// Borrows both.
    explicit SharedMemory(const Communicator& ranks, device::Accelerator* copier = nullptr)
        : JointMemory(ranks,
                      copier != nullptr ? device::MemoryKind::pinned : device::MemoryKind::host),
          copier_(copier) {}

    /// Zeroed, on pages of its own; sizes may differ between ranks and may be 0. Throws Failure, on
    /// all ranks alike, if one has no memory or cannot map another's. Large memory lies on huge
    /// pages where the kernel has them. Collective; releasing it is local.
    device::Allocation allocate(Bytes size);

    /// Whether the kernel has moved all large memory so far to huge pages, on all ranks; nothing if
    /// there is none.
    [[nodiscard]] std::optional<bool> on_huge_pages() const { return on_huge_pages_; }

  private:
    device::Accelerator* copier_;
    std::optional<bool> on_huge_pages_;
};

/// Why the ranks of a node cannot share memory, or nothing. Collective.
std::optional<std::string> why_no_shared_memory(const Communicator& node,
                                                device::Accelerator* copier = nullptr);

}  // namespace quartet::comm

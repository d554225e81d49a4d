#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "device/accelerator.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// Memory of the ranks of one node, which all of them have mapped. It lies in files without names:
/// nothing is left behind when processes are killed, and no file system limits its size. Peers
/// reach a file by the descriptor of its owner, so all need one PID namespace and one user.
class SharedMemory {
  public:
    /// With an accelerator, every rank's part is page-locked in every process, for its copies.
    /// Borrows both.
    explicit SharedMemory(const Communicator& ranks, device::Accelerator* copier = nullptr)
        : ranks_(ranks), copier_(copier) {}

    /// Zeroed, on pages of its own; sizes may differ between ranks and may be 0. Throws Failure, on
    /// all ranks alike, if one has no memory or cannot map another's. Large memory lies on huge
    /// pages where the kernel has them. Collective; releasing it is local.
    device::Allocation allocate(Bytes size);

    /// Each rank's part of the allocation in which `mine` begins, by rank. Local.
    [[nodiscard]] std::vector<device::View<std::byte>> parts(const std::byte* mine) const;
    /// Each rank's `mine` as this process sees it, by rank; sizes may differ. Parts that are not
    /// empty must have been allocated here, else Failure is thrown. Collective.
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) const;

    /// Whether the kernel has moved all large memory so far to huge pages, on all ranks; nothing if
    /// there is none.
    [[nodiscard]] std::optional<bool> on_huge_pages() const { return on_huge_pages_; }

  private:
    /// A mapping of a rank's file. That of a large file begins at a multiple of a huge page's size,
    /// so that huge pages can back it.
    class Mapping {
      public:
        /// Throws Failure.
        Mapping(int file, std::int64_t size);
        ~Mapping();
        Mapping(Mapping&& other) noexcept;
        Mapping& operator=(Mapping&&) = delete;

        [[nodiscard]] std::byte* data() const { return data_; }
        [[nodiscard]] std::int64_t size() const { return size_; }

      private:
        std::size_t reserved_;       ///< bytes of addresses, within which the file is mapped
        std::byte* base_ = nullptr;  ///< where these begin
        std::byte* data_ = nullptr;  ///< where the file begins
        std::int64_t size_;
    };
    /// One allocation of all ranks.
    struct Entry {
        std::int64_t number = 0;
        std::vector<Mapping> maps;              ///< by rank
        std::vector<device::Allocation> locks;  ///< of the pages of all ranks' parts
    };

    [[nodiscard]] device::MemoryKind kind() const {
        return copier_ != nullptr ? device::MemoryKind::pinned : device::MemoryKind::host;
    }
    [[nodiscard]] const Entry* entry_of(const std::byte* data, std::int64_t size) const;

    const Communicator& ranks_;
    device::Accelerator* copier_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
    std::optional<bool> on_huge_pages_;
};

/// Why the ranks of a node cannot share memory, or nothing. Collective.
std::optional<std::string> why_no_shared_memory(const Communicator& node,
                                                device::Accelerator* copier = nullptr);

}  // namespace quartet::comm

#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/windows/peer_memory.hpp"
#include "comm/windows/window.hpp"
#include "device/accelerator.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// The windows that a transport has allocated, so that an address can be told to other ranks as
/// (window, offset). Windows are numbered in the order of allocation, the same on all ranks.
class WindowPool final : public PeerMemory {
  public:
    /// With an accelerator, which outlives the pool, windows are for its copies: every rank's part
    /// is page-locked in every process.
    WindowPool(WindowKind kind, const Communicator& comm, device::Accelerator* copier = nullptr)
        : kind_(kind), comm_(comm), copier_(copier) {}

    /// Collective. Releasing the allocation frees the window, collectively too. The pool outlives
    /// what it allocates.
    device::Allocation allocate(Bytes size);

    /// A part of a window, in a form that other ranks understand.
    struct Address {
        std::int64_t window = 0;
        std::int64_t offset = 0;  ///< bytes from the beginning of the owner's part
    };

    /// Throws Failure if [data, data + size) was not allocated here. An empty range is anywhere.
    [[nodiscard]] Address address_of(const std::byte* data, std::int64_t size) const;
    [[nodiscard]] const Window& window(std::int64_t id) const;
    /// The window allocated last.
    [[nodiscard]] const Window& newest() const { return entries_.back().window; }

    /// Windows that are shared only.
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) const override;

    /// MPI-3, 11.5.
    void synchronise_memory() const override;

    /// Each rank's address, by rank. Collective.
    [[nodiscard]] std::vector<Address> exchange(Address mine) const;

  private:
    struct Entry {
        Entry(std::int64_t number, WindowKind kind, Bytes size, const Communicator& comm)
            : id(number), window(kind, size, comm) {}
        std::int64_t id;
        Window window;
        std::vector<device::Allocation> locks;  ///< of all ranks' parts
    };

    void lock_pages(Entry& entry, Bytes size);
    [[nodiscard]] device::MemoryKind memory_kind() const {
        return copier_ != nullptr ? device::MemoryKind::pinned : device::MemoryKind::host;
    }

    WindowKind kind_;
    const Communicator& comm_;
    device::Accelerator* copier_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
};

/// Why the ranks of one node cannot share windows that each rank's accelerator copies from and to,
/// or nothing. Collective.
std::optional<std::string> why_no_locked_windows(const Communicator& node,
                                                 device::Accelerator& copier);

}  // namespace quartet::comm

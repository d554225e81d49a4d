#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/shared/peer_memory.hpp"
#include "comm/transport/shared/window.hpp"
#include "device/cuda/info/gpu_sharing.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// Whether a GPU copies from and to shared windows.
enum class PageLocking {
    none,
    all_parts,  ///< every rank's part is page-locked in every process
};

/// The windows that a transport has allocated, so that an address can be told to other ranks as
/// (window, offset). Windows are numbered in the order of allocation, the same on all ranks.
class WindowPool final : public PeerMemory {
  public:
    WindowPool(WindowKind kind, const Communicator& comm, PageLocking locking = PageLocking::none)
        : kind_(kind), comm_(comm), locking_(locking) {}

    /// Collective. Releasing the allocation frees the window, collectively too. The pool outlives
    /// what it allocates.
    device::Allocation allocate(Bytes size);

    /// A piece of a window, in a form that other ranks understand.
    struct Address {
        std::int64_t window = 0;
        std::int64_t offset = 0;  ///< bytes from the beginning of the owner's part
    };

    /// Throws Failure where [data, data + size) was not allocated here. An empty range is anywhere.
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
        std::vector<device::PageLock> locks;  ///< of all ranks' parts
    };

    void lock_pages(Entry& entry, Bytes size);
    [[nodiscard]] device::MemoryKind memory_kind() const {
        return locking_ == PageLocking::all_parts ? device::MemoryKind::pinned
                                                  : device::MemoryKind::host;
    }

    WindowKind kind_;
    const Communicator& comm_;
    PageLocking locking_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
};

/// Why the ranks of one node cannot share windows that a GPU copies from and to, or nothing.
/// Collective.
std::optional<std::string> why_no_locked_windows(const Communicator& node);

}  // namespace quartet::comm

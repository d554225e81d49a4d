#pragma once

#include <list>

#include "comm/communicator.hpp"
#include "comm/window.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// The windows that a transport has allocated, so that an address can be told to other ranks as
/// (window, offset). Windows are numbered in the order of allocation, the same on all ranks.
class WindowPool {
  public:
    WindowPool(WindowKind kind, const Communicator& comm) : kind_(kind), comm_(comm) {}

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

    /// Makes this rank's stores visible to others, and theirs to this one, on both sides of what
    /// synchronises the ranks (MPI-3, 11.5). Local.
    void synchronise_memory() const;

    /// Each rank's address, by rank. Collective.
    [[nodiscard]] std::vector<Address> exchange(Address mine) const;

  private:
    struct Entry {
        Entry(std::int64_t number, WindowKind kind, Bytes size, const Communicator& comm)
            : id(number), window(kind, size, comm) {}
        std::int64_t id;
        Window window;
    };

    WindowKind kind_;
    const Communicator& comm_;
    std::list<Entry> entries_;
    std::int64_t next_ = 0;
};

}  // namespace quartet::comm

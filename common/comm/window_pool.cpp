#include "comm/window_pool.hpp"

#include <algorithm>

#include "comm/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {

device::Allocation WindowPool::allocate(Bytes size) {
    entries_.emplace_back(next_++, kind_, size, comm_);
    const auto entry = std::prev(entries_.end());
    return {{entry->window.local(), [this, entry](std::byte*) { entries_.erase(entry); }},
            size,
            device::MemoryKind::host};
}

WindowPool::Address WindowPool::address_of(const std::byte* data, std::int64_t size) const {
    if (size == 0) {
        return {entries_.empty() ? 0 : entries_.front().id, 0};
    }
    const auto entry = std::ranges::find_if(
        entries_, [&](const Entry& candidate) { return candidate.window.contains(data, size); });
    check(entry != entries_.end(), "memory that this transport did not allocate");
    return {entry->id, data - entry->window.local()};
}

const Window& WindowPool::window(std::int64_t id) const {
    const auto entry = std::ranges::find(entries_, id, &Entry::id);
    check(entry != entries_.end(), "a window that has been freed");
    return entry->window;
}

void WindowPool::synchronise_memory() const {
    for (const Entry& entry : entries_) {
        check_mpi(MPI_Win_sync(entry.window.handle()));
    }
}

std::vector<WindowPool::Address> WindowPool::exchange(Address mine) const {
    const auto windows = comm_.gather(mine.window);
    const auto offsets = comm_.gather(mine.offset);
    std::vector<Address> addresses(windows.size());
    for (std::size_t rank = 0; rank < windows.size(); ++rank) {
        addresses[rank] = {windows[rank], offsets[rank]};
    }
    return addresses;
}

}  // namespace quartet::comm

#include "comm/windows/window_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/mpi/agree.hpp"
#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

device::Allocation WindowPool::allocate(Bytes size) {
    entries_.emplace_back(next_++, kind_, size, comm_);
    const auto entry = std::prev(entries_.end());
    if (copier_ != nullptr) {
        lock_pages(*entry, size);
    }
    return {{entry->window.local(), [this, entry](std::byte*) { entries_.erase(entry); }},
            size,
            memory_kind()};
}

// Agreed, so that no rank goes on alone where the system refuses one of them.
void WindowPool::lock_pages(Entry& entry, Bytes size) {
    const auto sizes = comm_.gather(size.value);
    try {
        agree(comm_, [&] {
            for (int rank = 0; rank < comm_.size(); ++rank) {
                entry.locks.push_back(copier_->lock_pages({entry.window.part_of(rank),
                                                           sizes[static_cast<std::size_t>(rank)],
                                                           device::MemoryKind::host}));
            }
        });
    } catch (const Failure&) {  // on all ranks
        entry.locks.clear();
        entries_.pop_back();
        throw;
    }
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

std::vector<device::View<const std::byte>> WindowPool::of_all(
    device::View<const std::byte> mine) const {
    const auto places = exchange(address_of(mine.data(), mine.size()));
    const auto sizes = comm_.gather(mine.size());
    std::vector<device::View<const std::byte>> views;
    for (int rank = 0; rank < comm_.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const std::byte* begin =
            sizes[index] == 0 ? nullptr
                              : window(places[index].window).part_of(rank) + places[index].offset;
        views.emplace_back(begin, sizes[index], memory_kind());
    }
    return views;
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

std::optional<std::string> why_no_locked_windows(const Communicator& node,
                                                 device::Accelerator& copier) {
    if (auto problem = node.first(missing_backing_folder(WindowKind::shared))) {
        return problem;
    }
    try {
        WindowPool pool(WindowKind::shared, node, &copier);
        const device::Allocation some = pool.allocate(bytes_of<double>(1));
    } catch (const Failure& failure) {  // on all ranks
        return fmt::format(
            "the ranks cannot share memory that a GPU copies from and to ({}): use "
            "another --transport",
            failure.what());
    }
    return std::nullopt;
}

}  // namespace quartet::comm

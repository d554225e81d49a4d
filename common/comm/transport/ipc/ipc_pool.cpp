#include "comm/transport/ipc/ipc_pool.hpp"

#include <algorithm>
#include <exception>
#include <functional>

#include "comm/mpi/agree.hpp"

namespace quartet::comm {

namespace {

// At least one block: all ranks take part in a release, also those that have nothing to release.
Bytes whole_blocks(Bytes size, std::int64_t block) {
    return {std::max(block, (size.value + block - 1) / block * block)};
}

bool contains(const device::Allocation& memory, device::View<const std::byte> part) {
    const std::byte* begin = memory.data.get();
    const std::less_equal<const std::byte*> before;
    return begin != nullptr && before(begin, part.data()) &&
           before(part.data() + part.size(), begin + memory.size.value);
}

}  // namespace

device::Allocation IpcPool::allocate(Bytes size) {
    entries_.push_back({next_++, {}, {}});
    const auto entry = std::prev(entries_.end());
    try {
        agree(comm_, [&] {
            entry->mine = device_.allocate(whole_blocks(size, accelerator_.exported_block().value),
                                           device::MemoryKind::device);
        });
        map_peers(*entry);
    } catch (const Failure&) {  // on all ranks
        entries_.erase(entry);
        throw;
    }
    const int exceptions = std::uncaught_exceptions();
    return {{entry->mine.data.get(),
             [this, entry, exceptions](std::byte*) { release(entry, exceptions); }},
            size,
            device::MemoryKind::device};
}

void IpcPool::map_peers(Entry& entry) {
    device::MemoryHandle mine;
    agree(comm_, [&] { mine = accelerator_.export_memory(entry.mine); });
    const auto handles = comm_.gather(mine);
    const auto sizes = comm_.gather(entry.mine.size.value);
    agree(comm_, [&] {
        entry.theirs.resize(handles.size());
        for (std::size_t rank = 0; rank < handles.size(); ++rank) {
            if (static_cast<int>(rank) != comm_.rank()) {
                entry.theirs[rank] = accelerator_.import_memory(handles[rank], {sizes[rank]});
            }
        }
    });
}

// Nobody's memory goes while somebody has it mapped.
void IpcPool::release(std::list<Entry>::iterator entry, int exceptions) {
    if (std::uncaught_exceptions() > exceptions) {
        return;
    }
    entry->theirs.clear();
    comm_.barrier();
    entries_.erase(entry);
}

IpcPool::Address IpcPool::address_of(device::View<const std::byte> mine) const {
    if (mine.empty()) {
        return {};
    }
    const auto entry = std::ranges::find_if(
        entries_, [&](const Entry& candidate) { return contains(candidate.mine, mine); });
    check(entry != entries_.end(), "memory that this transport did not allocate");
    return {entry->id, mine.data() - entry->mine.data.get()};
}

const std::byte* IpcPool::begin_of(std::int64_t id, int rank) const {
    const auto entry = std::ranges::find(entries_, id, &Entry::id);
    check(entry != entries_.end(), "memory that has been released");
    return rank == comm_.rank() ? entry->mine.data.get()
                                : entry->theirs[static_cast<std::size_t>(rank)].data.get();
}

std::vector<device::View<const std::byte>> IpcPool::of_all(
    device::View<const std::byte> mine) const {
    const Address address = address_of(mine);
    const auto entries = comm_.gather(address.entry);
    const auto offsets = comm_.gather(address.offset);
    const auto sizes = comm_.gather(mine.size());
    std::vector<device::View<const std::byte>> views;
    for (int rank = 0; rank < comm_.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const std::byte* begin =
            sizes[index] == 0 ? nullptr : begin_of(entries[index], rank) + offsets[index];
        views.emplace_back(begin, sizes[index], device::MemoryKind::device);
    }
    return views;
}

}  // namespace quartet::comm

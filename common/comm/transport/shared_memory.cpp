#include "comm/transport/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "comm/mpi/agree.hpp"
#include "core/check.hpp"
#include "core/files/file.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

constexpr int collapse_pages = 25;  // MADV_COLLAPSE, which older headers do not name

std::string reason_of(int error) {
    return std::generic_category().message(error);
}

// Takes the file's memory now: if it were missing later, a signal would end the process.
void take_memory(int file, std::int64_t size) {
    const int error = file < 0 ? errno : ::posix_fallocate(file, 0, size);
    if (error != 0) {
        throw Failure(fmt::format(
            "the system has no {} of shared memory ({}): ask for a smaller size, or use another "
            "--transport",
            to_string(Bytes{size}), reason_of(error)));
    }
}

int open_file_of(std::int64_t process, std::int64_t file) {
    const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
    const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) {
        throw Failure(fmt::format(
            "a rank cannot map another's memory ({}: {}): run all ranks of a node as one user and "
            "in one container, or use another --transport",
            path, reason_of(errno)));
    }
    return opened;
}

}  // namespace

SharedMemory::Mapping::Mapping(int file, std::int64_t size)
    : reserved_(static_cast<std::size_t>(size) +
                (static_cast<std::size_t>(size) < system::huge_page ? 0 : system::huge_page)),
      size_(size) {
    void* const base =
        ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(base != MAP_FAILED, "the system has no addresses for shared memory");
    base_ = static_cast<std::byte*>(base);
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(base) % system::huge_page;
    data_ = static_cast<std::size_t>(size) < system::huge_page
                ? base_
                : base_ + (system::huge_page - beyond);
    if (::mmap(data_, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        ::munmap(base_, reserved_);
        fail("the system does not map shared memory");
    }
}

SharedMemory::Mapping::~Mapping() {
    if (base_ != nullptr) {
        ::munmap(base_, reserved_);
    }
}

SharedMemory::Mapping::Mapping(Mapping&& other) noexcept
    : reserved_(other.reserved_),
      base_(std::exchange(other.base_, nullptr)),
      data_(other.data_),
      size_(other.size_) {}

device::Allocation SharedMemory::allocate(Bytes size) {
    const std::int64_t bytes = std::max<std::int64_t>(size.value, 1);
    const FileDescriptor mine(::memfd_create("quartet", MFD_CLOEXEC));
    agree(ranks_, [&] { take_memory(mine.get(), bytes); });
    const auto processes = ranks_.gather(std::int64_t{::getpid()});
    const auto files = ranks_.gather(std::int64_t{mine.get()});
    const auto sizes = ranks_.gather(bytes);
    Entry entry{next_++, {}, {}};
    bool large = false;
    bool huge = true;
    agree(ranks_, [&] {
        for (std::size_t rank = 0; rank < files.size(); ++rank) {
            if (static_cast<int>(rank) == ranks_.rank()) {
                entry.maps.emplace_back(mine.get(), sizes[rank]);
            } else {
                const FileDescriptor file(open_file_of(processes[rank], files[rank]));
                entry.maps.emplace_back(file.get(), sizes[rank]);
            }
        }
        // This rank's thread touches its pages first; then the kernel may make them huge pages.
        std::byte* const data = entry.maps[static_cast<std::size_t>(ranks_.rank())].data();
        const std::size_t whole = static_cast<std::size_t>(bytes) / system::huge_page;
        ::madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
        std::memset(data, 0, static_cast<std::size_t>(bytes));
        large = whole > 0;
        huge = !large || ::madvise(data, whole * system::huge_page, collapse_pages) == 0;
    });
    agree(ranks_, [&] {
        for (const Mapping& map : entry.maps) {
            if (copier_ != nullptr) {
                entry.locks.push_back(
                    copier_->lock_pages({map.data(), map.size(), device::MemoryKind::host}));
            }
        }
    });
    if (ranks_.any(large)) {
        on_huge_pages_ = ranks_.all(huge) && on_huge_pages_.value_or(true);
    }
    entries_.push_back(std::move(entry));
    const auto place = std::prev(entries_.end());
    return {{place->maps[static_cast<std::size_t>(ranks_.rank())].data(),
             [this, place](std::byte*) { entries_.erase(place); }},
            size,
            kind()};
}

const SharedMemory::Entry* SharedMemory::entry_of(const std::byte* data, std::int64_t size) const {
    const auto me = static_cast<std::size_t>(ranks_.rank());
    const std::less_equal<const std::byte*> before;
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
        const Mapping& map = entry.maps[me];
        return before(map.data(), data) && before(data + size, map.data() + map.size());
    });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<device::View<std::byte>> SharedMemory::parts(const std::byte* mine) const {
    const Entry* entry = entry_of(mine, 0);
    check(entry != nullptr, "memory that is not shared");
    std::vector<device::View<std::byte>> views;
    for (const Mapping& map : entry->maps) {
        views.emplace_back(map.data(), map.size(), kind());
    }
    return views;
}

std::vector<device::View<const std::byte>> SharedMemory::of_all(
    device::View<const std::byte> mine) const {
    const Entry* entry = mine.empty() ? nullptr : entry_of(mine.data(), mine.size());
    const std::byte* begin =
        entry == nullptr ? nullptr : entry->maps[static_cast<std::size_t>(ranks_.rank())].data();
    agree(ranks_, [&] {
        check(mine.empty() || entry != nullptr, "memory that this transport did not allocate");
    });
    const auto numbers = ranks_.gather(entry == nullptr ? std::int64_t{-1} : entry->number);
    const auto offsets = ranks_.gather(entry == nullptr ? std::int64_t{0} : mine.data() - begin);
    const auto sizes = ranks_.gather(mine.size());
    std::vector<device::View<const std::byte>> views;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        const auto there = std::ranges::find(entries_, numbers[rank], &Entry::number);
        if (numbers[rank] < 0) {
            views.emplace_back();
            continue;
        }
        check(there != entries_.end(), "memory that has been released");
        views.emplace_back(there->maps[rank].data() + offsets[rank], sizes[rank], kind());
    }
    return views;
}

std::optional<std::string> why_no_shared_memory(const Communicator& node,
                                                device::Accelerator* copier) {
    try {
        SharedMemory memory(node, copier);
        const device::Allocation some = memory.allocate(bytes_of<double>(1));
    } catch (const Failure& failure) {  // on all ranks
        return failure.what();
    }
    return std::nullopt;
}

}  // namespace quartet::comm

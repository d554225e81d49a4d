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

#include "comm/transport/transport.hpp"
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

// Maps a file. The mapping of a large file begins at a multiple of a huge page's size, so that huge
// pages can back it.
device::Allocation map_file(int file, std::int64_t size) {
    const auto bytes = static_cast<std::size_t>(size);
    const bool large = bytes >= system::huge_page;
    const std::size_t reserved = bytes + (large ? system::huge_page : 0);
    void* const base =
        ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(base != MAP_FAILED, "the system has no addresses for shared memory");
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(base) % system::huge_page;
    std::byte* const data =
        static_cast<std::byte*>(base) + (large ? system::huge_page - beyond : 0);
    device::Allocation mapped{{data, [base, reserved](std::byte*) { ::munmap(base, reserved); }},
                              {size},
                              device::MemoryKind::host};
    check(
        ::mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED,
        "the system does not map shared memory");
    return mapped;
}

}  // namespace

const JointMemory::Entry* JointMemory::entry_of(const std::byte* data, std::int64_t size) const {
    const std::less_equal<const std::byte*> before;
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
        const device::Allocation& part = entry.parts[me()];
        return before(part.data.get(), data) &&
               before(data + size, part.data.get() + part.size.value);
    });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<device::View<std::byte>> JointMemory::parts(const std::byte* mine) const {
    const Entry* entry = entry_of(mine, 0);
    check(entry != nullptr, "memory that is not shared");
    std::vector<device::View<std::byte>> views;
    for (const device::Allocation& part : entry->parts) {
        views.emplace_back(part.data.get(), part.size.value, kind_);
    }
    return views;
}

std::vector<device::View<const std::byte>> JointMemory::of_all(
    device::View<const std::byte> mine) const {
    const Entry* entry = mine.empty() ? nullptr : entry_of(mine.data(), mine.size());
    agree(ranks_, [&] {
        check(mine.empty() || entry != nullptr, "memory that this transport did not allocate");
    });
    const std::int64_t offset = entry == nullptr ? 0 : mine.data() - entry->parts[me()].data.get();
    const auto numbers = ranks_.gather(entry == nullptr ? std::int64_t{-1} : entry->number);
    const auto offsets = ranks_.gather(offset);
    const auto sizes = ranks_.gather(mine.size());
    std::vector<device::View<const std::byte>> views;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        const std::byte* begin = nullptr;
        if (numbers[rank] >= 0) {
            const auto there = std::ranges::find(entries_, numbers[rank], &Entry::number);
            check(there != entries_.end(), "memory that has been released");
            begin = there->parts[rank].data.get() + offsets[rank];
        }
        views.emplace_back(begin, sizes[rank], kind_);
    }
    return views;
}

device::Allocation SharedMemory::allocate(Bytes size) {
    const std::int64_t bytes = std::max<std::int64_t>(size.value, 1);
    const FileDescriptor mine(::memfd_create("quartet", MFD_CLOEXEC));
    agree(ranks_, [&] { take_memory(mine.get(), bytes); });
    const auto processes = ranks_.gather(std::int64_t{::getpid()});
    const auto files = ranks_.gather(std::int64_t{mine.get()});
    const auto sizes = ranks_.gather(bytes);
    Entry entry;
    bool large = false;
    bool huge = true;
    agree(ranks_, [&] {
        for (std::size_t rank = 0; rank < files.size(); ++rank) {
            if (rank == me()) {
                entry.parts.push_back(map_file(mine.get(), sizes[rank]));
            } else {
                const FileDescriptor file(open_file_of(processes[rank], files[rank]));
                entry.parts.push_back(map_file(file.get(), sizes[rank]));
            }
        }
        // This rank's thread touches its pages first; then the kernel may make them huge pages.
        std::byte* const data = entry.parts[me()].data.get();
        const std::size_t whole = static_cast<std::size_t>(bytes) / system::huge_page;
        ::madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
        std::memset(data, 0, static_cast<std::size_t>(bytes));
        large = whole > 0;
        huge = !large || ::madvise(data, whole * system::huge_page, collapse_pages) == 0;
    });
    agree(ranks_, [&] {
        for (const device::Allocation& part : entry.parts) {
            if (copier_ != nullptr) {
                entry.locks.push_back(
                    copier_->lock_pages({part.data.get(), part.size.value, part.kind}));
            }
        }
    });
    if (ranks_.any(large)) {
        on_huge_pages_ = ranks_.all(huge) && on_huge_pages_.value_or(true);
    }
    const auto place = keep(std::move(entry));
    return {{place->parts[me()].data.get(), [this, place](std::byte*) { entries_.erase(place); }},
            size,
            kind_};
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

namespace {

constexpr TransportTraits shm_traits{
    .name = "shm",
    .memory = TransportMemory::host,
    .reach = Reach::one_node,
    .receive = Receive::in_place,
};

/// Loads and stores: the ranks of one node read each other's memory in place.
class ShmTransport final : public Transport {
  public:
    ShmTransport(const TransportContext& context, device::Accelerator* copier)
        : Transport(context, shm_traits), memory_(comm(), copier) {}

    device::Allocation allocate(Bytes size, Place /*place*/) override {
        return memory_.allocate(size);
    }
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) override {
        return memory_.of_all(mine);
    }
    [[nodiscard]] std::string description() const override {
        const auto huge = memory_.on_huge_pages();
        return !huge   ? ""
               : *huge ? "shared memory on huge pages"
                       : "the system refuses huge pages for shared memory";
    }

  private:
    SharedMemory memory_;
};

std::optional<std::string> why_no_shm(const TransportContext& context) {
    const auto problem = why_no_shared_memory(context.world);
    return problem ? std::optional("transport shm: " + *problem) : std::nullopt;
}

}  // namespace

std::unique_ptr<Transport> make_shared_transport(const TransportContext& context,
                                                 device::Accelerator* copier) {
    return std::make_unique<ShmTransport>(context, copier);
}

TransportKind shm_transport() {
    return {shm_traits, why_no_shm, [](const TransportContext& context) {
                return make_shared_transport(context, nullptr);
            }};
}

}  // namespace quartet::comm

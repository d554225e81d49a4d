#include "comm/transport/shared/window_space.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "core/environment.hpp"
#include "system/page.hpp"

namespace quartet::comm {

namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers do not name

// What MPI itself writes beside the parts: a header, and a few words of each rank.
constexpr Bytes beside_the_parts = kibibytes(64);
constexpr Bytes beside_a_part = kibibytes(16);

// At least one more than it fills, since parts begin on a page.
Bytes pages_for(Bytes size) {
    const std::int64_t pages = size.value / system::page_bytes() + 2;
    return pages * Bytes{system::page_bytes()};
}

// Of the calling rank's node.
Bytes needed(Bytes size, const Communicator& node) {
    Bytes sum = beside_the_parts;
    for (const std::int64_t part : node.gather(size.value)) {
        sum = sum + pages_for({part}) + beside_a_part;
    }
    return sum;
}

std::optional<std::string> why_no_room(Bytes needed, const std::optional<WindowFolder>& folder) {
    if (!folder || needed <= folder->available) {
        return std::nullopt;
    }
    return fmt::format(
        "windows of {} do not fit {} ({} are free now; another job may have taken them): enlarge "
        "it (docker run --shm-size), wait for the other job, or use another --transport",
        to_string(needed), folder->path, to_string(folder->available));
}

}  // namespace

std::optional<WindowFolder> window_folder(WindowKind kind) {
    std::optional<WindowFolder> fuller;
    for (const char* const variable : backing_folder_variables(kind)) {
        const std::string path = Environment().get(variable).value_or("/dev/shm");
        struct statvfs space {};
        if (::statvfs(path.c_str(), &space) != 0) {
            continue;
        }
        const Bytes available = static_cast<std::int64_t>(space.f_bavail) *
                                Bytes{static_cast<std::int64_t>(space.f_frsize)};
        if (!fuller || available < fuller->available) {
            fuller = {path, available};
        }
    }
    return fuller;
}

void require_window_space(WindowKind kind, Bytes size, const Communicator& comm) {
    const Communicator node = comm.split_by_node();
    const Bytes all = needed(size, node);
    if (const auto problem = comm.first(why_no_room(all, window_folder(kind)))) {
        throw Failure(*problem);
    }
}

bool ReservedSpace::try_lock() {
    // Where there are no locks, nobody has them.
    return !folder_ || ::flock(folder_->get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void ReservedSpace::unlock() {
    if (folder_) {
        ::flock(folder_->get(), LOCK_UN);
    }
}

// All nodes' locks or none, so that jobs do not wait for each other's nodes.
ReservedSpace::ReservedSpace(WindowKind kind, const Communicator& comm) {
    constexpr int attempts = 1000;
    const std::chrono::milliseconds pause{10 + ::getpid() % 10};
    const Communicator node = comm.split_by_node();
    const auto folder = window_folder(kind);
    if (node.rank() == 0 && folder) {
        folder_.emplace(::open(folder->path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const bool locked = try_lock();
        if (comm.all(locked)) {
            return;
        }
        if (locked) {
            unlock();
        }
        std::this_thread::sleep_for(pause);
    }
}

std::optional<std::string> why_not_populated(std::byte* begin, Bytes size) {
    if (size.value <= 0) {
        return std::nullopt;
    }
    const auto bytes =
        static_cast<std::size_t>(system::whole_pages(size.value, system::page_bytes()));
    if (::madvise(begin, bytes, populate_write) == 0 || errno == EINVAL) {
        return std::nullopt;  // or Linux before 5.14 cannot say
    }
    // EFAULT is what would have been a SIGBUS.
    return fmt::format(
        "the system has no memory for a window of {} ({}): enlarge /dev/shm (docker run "
        "--shm-size), or use another --transport",
        to_string(size),
        errno == EFAULT ? "its file system is full" : std::generic_category().message(errno));
}

}  // namespace quartet::comm

#include "comm/windows/window_space.hpp"

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
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers do not name

// Bytes that MPI itself writes beside the parts: a header, and a few words of each rank.
constexpr Bytes beside_the_parts = kibibytes(64);
constexpr Bytes beside_a_part = kibibytes(16);

// At least one more than it fills, since parts begin on a page.
Bytes pages_for(Bytes size) {
    const std::int64_t pages = size.value / system::page_bytes() + 2;
    return pages * Bytes{system::page_bytes()};
}

// Bytes that one rank's part needs.
Bytes needed_for(Bytes part) {
    return pages_for(part) + beside_a_part;
}

// Bytes that the calling rank's node needs.
Bytes needed(Bytes size, const Communicator& node) {
    Bytes sum = beside_the_parts;
    for (const std::int64_t part : node.gather(size.value)) {
        sum = sum + needed_for({part});
    }
    return sum;
}

// Windows are made deep within transports, and space is held for the process as a whole.
ReservedSpace*& space_of_process() {
    static ReservedSpace* space = nullptr;
    return space;
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

void require_window_space(WindowKind kind, Bytes size, const RanksOfNodes& ranks) {
    const Bytes all = needed(size, ranks.node);
    if (const auto problem = ranks.all.first(why_no_room(all, window_folder(kind)))) {
        throw Failure(*problem);
    }
}

bool WindowTurn::try_lock() {
    // On a file system without locks nobody holds one.
    return !folder_ || ::flock(folder_->get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void WindowTurn::unlock() {
    if (folder_) {
        ::flock(folder_->get(), LOCK_UN);
    }
}

// All nodes' locks or none, so that jobs do not wait for each other's nodes.
WindowTurn::WindowTurn(WindowKind kind, const RanksOfNodes& ranks) {
    constexpr int attempts = 300;
    const std::chrono::milliseconds pause{10 + ::getpid() % 10};
    const auto folder = window_folder(kind);
    if (ranks.node.rank() == 0 && folder) {
        folder_.emplace(::open(folder->path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const bool locked = try_lock();
        if (ranks.all.all(locked)) {
            return;
        }
        if (locked) {
            unlock();
        }
        std::this_thread::sleep_for(pause);
    }
}

ReservedSpace::ReservedSpace(WindowKind kind, Bytes size, const Communicator& comm) {
    const RanksOfNodes ranks(comm);
    const WindowTurn turn(kind, ranks);
    require_window_space(kind, size, ranks);
    std::optional<std::string> problem;
    const auto folder = window_folder(kind);
    if (folder && size > Bytes{}) {
        held_ = needed_for(size);
        problem = why_not_held(folder->path);
    }
    if (const auto first = comm.first(problem)) {
        throw Failure(*first);
    }
    space_of_process() = this;
}

ReservedSpace::~ReservedSpace() {
    if (space_of_process() == this) {
        space_of_process() = nullptr;
    }
}

// File systems that cannot hold space or have no files without names are used as they are.
std::optional<std::string> ReservedSpace::why_not_held(const std::string& folder) {
    file_.emplace(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file_->get() < 0 || ::fallocate(file_->get(), 0, 0, held_.value) == 0) {
        return std::nullopt;
    }
    const int error = errno;
    file_.reset();
    if (error != ENOSPC) {
        return std::nullopt;
    }
    return why_no_room(held_, WindowFolder{folder, {}});
}

void ReservedSpace::release(Bytes size) {
    ReservedSpace* const space = space_of_process();
    if (space == nullptr || size <= Bytes{}) {
        return;
    }
    const Bytes taken = needed_for(size);
    space->held_ = taken < space->held_ ? space->held_ - taken : Bytes{};
    if (space->file_ && space->file_->get() >= 0) {
        static_cast<void>(::ftruncate(space->file_->get(), space->held_.value));
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

#include "core/files/file_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/environment.hpp"

namespace quartet {

namespace {

constexpr Bytes longest_owner = kibibytes(1);

// File systems over a network may have no locks; NFS has none of a file that is only read.
bool has_no_locks(int error) {
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL ||
           error == EBADF;
}

// The text that the holder has written; empty if it has not come to that yet, or has just gone.
std::string owner_in(const std::filesystem::path& file) {
    try {
        return contents(file, longest_owner);
    } catch (const FileError&) {
        return {};
    }
}

// A holder writes who it is right after it has the lock. Until then the file may name an owner that
// was killed, so retry for a while until the `expected` owner appears.
std::string patient_owner_in(const std::filesystem::path& file, const std::string& expected) {
    constexpr int attempts = 50;
    constexpr std::chrono::milliseconds pause{10};
    std::string owner = owner_in(file);
    for (int attempt = 0; attempt < attempts && owner != expected; ++attempt) {
        std::this_thread::sleep_for(pause);
        owner = owner_in(file);
    }
    return owner;
}

int try_flock(int descriptor) {
    int status = 0;
    do {
        status = ::flock(descriptor, LOCK_EX | LOCK_NB);
    } while (status != 0 && errno == EINTR);
    return status;
}

// Neither a link nor a pipe is followed or waited for. What another user has left behind can still
// be locked, though not written.
int open_lock(const std::filesystem::path& file) {
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int descriptor = ::open(file.c_str(), flags | O_RDWR | O_CREAT, 0666);
    return descriptor >= 0 || errno != EACCES ? descriptor : ::open(file.c_str(), flags | O_RDONLY);
}

// What keeps a file from being a lock, apart from most errors of opening it. In a folder of many
// users anybody can put there what locks nothing, or what somebody would miss once it is written.
std::optional<std::string> why_no_lock(const std::filesystem::path& file, int descriptor,
                                       int error) {
    struct stat status {};
    if (descriptor < 0) {
        if (error == EACCES && ::lstat(file.c_str(), &status) == 0 &&
            status.st_uid != ::geteuid()) {
            return fmt::format("is user {}'s, who alone may open it", status.st_uid);
        }
    } else if (::fstat(descriptor, &status) == 0) {
        if (!S_ISREG(status.st_mode)) {
            return "is no regular file";
        }
        if (status.st_nlink > 1) {
            return "has another name, too";
        }
    }
    return std::nullopt;
}

// Whether the name still leads to the open file: its last holder may have removed it meanwhile.
bool is_still(const std::filesystem::path& file, int descriptor) {
    struct stat there {};
    struct stat open {};
    return ::stat(file.c_str(), &there) == 0 && ::fstat(descriptor, &open) == 0 &&
           there.st_dev == open.st_dev && there.st_ino == open.st_ino;
}

}  // namespace

std::string lock_owner() {
    // Processes of two containers may have the same number and host.
    using std::chrono::system_clock;
    const auto now = system_clock::now();
    const auto since_1970 =
        std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
    return fmt::format("process {} on {} (since {:%F %T}.{:06} UTC)", ::getpid(), host_name(),
                       fmt::gmtime(system_clock::to_time_t(now)), since_1970.count() % 1000000);
}

std::filesystem::path FileLock::beside(const std::filesystem::path& file) {
    return file.parent_path() / fmt::format(".{}.lock", file.filename().native());
}

std::filesystem::path FileLock::of_folder(const std::filesystem::path& folder) {
    return folder / ".quartet.lock";
}

FileLock::FileLock(std::filesystem::path file, const std::string& what, const std::string& owner)
    : file_(std::move(file)) {
    if (take(what)) {
        name_owner(owner);
        return;
    }
    descriptor_.reset();
    const std::string holder = patient_owner_in(file_, owner);
    if (holder != owner) {
        throw UsageError(fmt::format("{} is in use by {}: wait for it, or name another one", what,
                                     holder.empty() ? "another job" : holder));
    }
}

// Takes the lock unless somebody else has it; says whether it did.
bool FileLock::take(const std::string& what) {
    constexpr int attempts = 1000;  // its last holder may remove the file each time
    for (int attempt = 0; attempt < attempts; ++attempt) {
        descriptor_.emplace(open_lock(file_));
        const int error = errno;
        if (const auto why = why_no_lock(file_, descriptor_->get(), error)) {
            throw UsageError(
                fmt::format("{} cannot be locked ({} {}): remove that file, or name another one",
                            what, quotation(file_.native()), *why));
        }
        if (descriptor_->get() < 0) {
            throw FileError("lock", file_, error);
        }
        if (try_flock(descriptor_->get()) != 0) {
            if (has_no_locks(errno)) {
                ::unlink(file_.c_str());
                return true;
            }
            if (errno != EWOULDBLOCK) {
                throw FileError("lock", file_, errno);
            }
            return false;
        }
        if (is_still(file_, descriptor_->get())) {
            holds_ = true;
            return true;
        }
    }
    return false;
}

void FileLock::name_owner(const std::string& owner) {
    // A failure to write is ignored: the lock holds all the same.
    if (::ftruncate(descriptor_->get(), 0) == 0 &&
        ::pwrite(descriptor_->get(), owner.data(), owner.size(), 0) > 0) {
        ::fsync(descriptor_->get());  // other hosts are to see it
    }
}

FileLock::~FileLock() {
    if (holds_) {
        ::unlink(file_.c_str());  // before the lock goes, so that nobody holds a name that vanishes
    }
}

}  // namespace quartet

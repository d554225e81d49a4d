#include "core/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace quartet {

namespace {

// One system call moves at most about 2 GiB on Linux; a round number below that.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

std::string system_reason(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void refuse(std::string_view operation, const std::filesystem::path& file, int error) {
    throw FileError(operation, file, system_reason(error));
}

int open_input(const std::filesystem::path& file) {
    // Without O_NONBLOCK a pipe would hang here rather than be refused.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        refuse("open", file, errno);
    }
    return descriptor;
}

// A name that no other process uses: hosts that share the folder may share process numbers, hence
// the attempts. Sets `aside`.
int open_aside(const std::filesystem::path& file, std::filesystem::path& aside) {
    constexpr int attempts = 1000;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        aside = file;
        aside += fmt::format(".{}.{}.tmp", ::getpid(), attempt);
        const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return descriptor;
        }
        if (errno != EEXIST) {
            refuse("write", file, errno);
        }
    }
    refuse("write", file, EEXIST);
}

}  // namespace

FileError::FileError(std::string_view operation, const std::filesystem::path& file,
                     const std::string& reason)
    : Failure(fmt::format("cannot {} {} ({}): check the path, its permissions and the space left",
                          operation, quotation(file.native()), reason)),
      reason_(reason) {}

FileDescriptor::~FileDescriptor() {
    close();
}

bool FileDescriptor::close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
}

InputFile::InputFile(std::filesystem::path file)
    : file_(std::move(file)), descriptor_(open_input(file_)) {
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) {
        refuse("open", file_, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw FileError("open", file_, "not a regular file");
    }
    size_ = {status.st_size};
}

Bytes InputFile::read(Bytes offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t moved = ::pread(descriptor_.get(), out.data() + done,
                                      std::min(out.size() - done, largest_transfer),
                                      static_cast<off_t>(offset.value) + static_cast<off_t>(done));
        if (moved == 0) {
            break;
        }
        if (moved > 0) {
            done += static_cast<std::size_t>(moved);
        } else if (errno != EINTR) {
            refuse("read", file_, errno);
        }
    }
    return {static_cast<std::int64_t>(done)};
}

OutputFile::OutputFile(std::filesystem::path file)
    : file_(std::move(file)), descriptor_(open_aside(file_, aside_)) {}

OutputFile::~OutputFile() {
    if (!aside_.empty()) {
        ::unlink(aside_.c_str());
    }
}

void OutputFile::write(std::span<const std::byte> data) {
    while (!data.empty()) {
        const ssize_t moved =
            ::write(descriptor_.get(), data.data(), std::min(data.size(), largest_transfer));
        if (moved >= 0) {
            data = data.subspan(static_cast<std::size_t>(moved));
        } else if (errno != EINTR) {
            refuse("write", file_, errno);
        }
    }
}

void OutputFile::commit() {
    // File systems over a network may report a full disk only when the file is closed.
    if (!descriptor_.close() || ::rename(aside_.c_str(), file_.c_str()) != 0) {
        refuse("write", file_, errno);
    }
    aside_.clear();
}

}  // namespace quartet

#include "core/files/file.hpp"

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

// Linux moves at most about 2 GiB by one system call; this is a round number below that.
constexpr std::size_t largest_transfer = std::size_t{1} << 30;

[[noreturn]] void refuse(std::string_view operation, const FileName& file, int error) {
    throw FileError(operation, file.path(), error);
}

int open_input(const FileName& file, FileCache cache) {
    // Without O_NONBLOCK a pipe would hang here rather than be refused.
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    const int direct = cache == FileCache::direct ? O_DIRECT : 0;
    const int descriptor = ::openat(file.folder(), file.name(), flags | direct);
    if (descriptor >= 0) {
        return descriptor;
    }
    if (errno == EINVAL && direct != 0) {
        throw FileError("open", file.path(), "its file system has no direct input");
    }
    refuse("open", file, errno);
}

// Opens a new file under a name that no other process uses, and sets `aside` to it. Several
// attempts, since processes of hosts that share the folder may have the same number.
int open_aside(const FileName& file, FileName& aside) {
    constexpr int attempts = 1000;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::array<char, 32> suffix{};
        const auto end =
            fmt::format_to_n(suffix.data(), suffix.size(), ".{}.{}.tmp", ::getpid(), attempt);
        aside = file.with_suffix({suffix.data(), end.size});
        const int descriptor =
            ::openat(aside.folder(), aside.name(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return descriptor;
        }
        if (errno != EEXIST) {
            refuse("write", file, errno);
        }
    }
    refuse("write", file, EEXIST);
}

// Opens the spare, or a new file where the spare must not be written over: a file with another
// name, by a link of either kind, is used elsewhere. Sets `aside`.
int open_spare(const FileName& file, const FileName& spare, FileName& aside) {
    // Without O_NONBLOCK a pipe would hang here.
    const int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int descriptor = ::openat(spare.folder(), spare.name(), flags);
    struct stat status {};
    if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_nlink == 1) {
        aside = spare;
        return descriptor;
    }
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    ::unlinkat(spare.folder(), spare.name(), 0);  // removes the name alone, and no folder
    return open_aside(file, aside);
}

}  // namespace

FileError::FileError(std::string_view operation, const std::filesystem::path& file,
                     const std::string& reason)
    : Failure(fmt::format("cannot {} {} ({}): check the path, its permissions and the space left",
                          operation, quotation(file.native()), reason)),
      reason_(reason) {}

FileError::FileError(std::string_view operation, const std::filesystem::path& file, int error)
    : FileError(operation, file, std::generic_category().message(error)) {}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw FileError("create", folder, error.message());
    }
}

std::string_view name(FileCache cache) {
    constexpr std::array<std::string_view, 3> names{"warm", "drop", "direct"};
    return names.at(static_cast<std::size_t>(cache));
}

FileDescriptor::~FileDescriptor() {
    close();
}

bool FileDescriptor::close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
}

Folder::Folder(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_.get() < 0) {
        refuse("open", path_, errno);
    }
}

void Folder::remove(std::string_view name) const {
    const FileName file(*this, name);
    if (::unlinkat(file.folder(), file.name(), 0) != 0 && errno != ENOENT) {
        refuse("remove", file, errno);
    }
}

void Folder::rename(std::string_view from, std::string_view to) const {
    const FileName before(*this, from);
    const FileName after(*this, to);
    if (::renameat(descriptor(), before.name(), descriptor(), after.name()) != 0 &&
        errno != ENOENT) {
        refuse("rename", before, errno);
    }
}

void Folder::flush() const {
    if (::fsync(descriptor_.get()) != 0) {
        refuse("write", path_, errno);
    }
}

FileName::FileName(const Folder& folder, std::string_view name) : folder_(&folder) {
    check(name.size() < name_.size(), "a file's name is too long for a name in a folder");
    std::ranges::copy(name, name_.begin());
}

int FileName::folder() const {
    return folder_ == nullptr ? AT_FDCWD : folder_->descriptor();
}

std::filesystem::path FileName::path() const {
    return folder_ == nullptr ? path_ : folder_->path() / name_.data();
}

FileName FileName::with_suffix(std::string_view suffix) const {
    FileName longer = *this;
    if (folder_ == nullptr) {
        longer.path_ += suffix;
        return longer;
    }
    const std::size_t length = std::string_view(name_.data()).size();
    check(length + suffix.size() < name_.size(), "a file's name is too long for what is added");
    std::ranges::copy(suffix, longer.name_.begin() + static_cast<std::ptrdiff_t>(length));
    return longer;
}

InputFile::InputFile(FileName file, FileCache cache)
    : file_(std::move(file)), cache_(cache), descriptor_(open_input(file_, cache)) {
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) {
        refuse("open", file_, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw FileError("open", file_.path(), "not a regular file");
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
            // Past an end that is not aligned, direct input could not go on.
            if (cache_ == FileCache::direct && moved % direct_alignment != 0) {
                break;
            }
        } else if (errno != EINTR) {
            refuse("read", file_, errno);
        }
    }
    return {static_cast<std::int64_t>(done)};
}

std::string contents(const FileName& file) {
    constexpr Bytes most = mebibytes(256);
    const InputFile input(file);
    if (input.size() > most) {
        throw FileError(
            "read", file.path(),
            fmt::format("it has {}, more than {}", to_string(input.size()), to_string(most)));
    }
    std::string text(static_cast<std::size_t>(input.size().value), '\0');
    const Bytes got = input.read({}, std::as_writable_bytes(std::span(text)));
    text.resize(static_cast<std::size_t>(got.value));
    return text;
}

bool is_there(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::none) {
        throw FileError("look at", path, error.message());
    }
    return std::filesystem::exists(status);
}

void forget(const FileName& file) {
    const FileDescriptor descriptor(::openat(file.folder(), file.name(), O_RDONLY | O_CLOEXEC));
    // Pages that are not on the disk yet would be kept.
    if (descriptor.get() < 0 || ::fdatasync(descriptor.get()) != 0) {
        refuse("forget", file, errno);
    }
    const int error = ::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (error != 0) {
        refuse("forget", file, error);
    }
}

OutputFile::OutputFile(FileName file)
    : file_(std::move(file)), aside_(file_), descriptor_(open_aside(file_, aside_)) {}

OutputFile::OutputFile(FileName file, const FileName& spare)
    : file_(std::move(file)), aside_(file_), descriptor_(open_spare(file_, spare, aside_)) {}

OutputFile::~OutputFile() {
    if (!renamed_) {
        ::unlinkat(aside_.folder(), aside_.name(), 0);
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

// A spare may be longer than what was written.
void OutputFile::end_here() {
    struct stat status {};
    const off_t end = ::lseek(descriptor_.get(), 0, SEEK_CUR);
    if (end < 0 || ::fstat(descriptor_.get(), &status) != 0 ||
        (status.st_size > end && ::ftruncate(descriptor_.get(), end) != 0)) {
        refuse("write", file_, errno);
    }
}

void OutputFile::commit(Durability durability) {
    end_here();
    if (durability == Durability::power_cut && ::fsync(descriptor_.get()) != 0) {
        refuse("write", file_, errno);
    }
    // File systems over a network may report a full disk only when the file is closed.
    if (!descriptor_.close() ||
        ::renameat(aside_.folder(), aside_.name(), file_.folder(), file_.name()) != 0) {
        refuse("write", file_, errno);
    }
    renamed_ = true;
}

void require_writable(const std::filesystem::path& file, bool overwrite) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) && !overwrite) {
        throw UsageError(
            fmt::format("{} exists (results are never overwritten unasked): add --force or name "
                        "another file",
                        file.string()));
    }
    const auto refuse_because = [&](std::string_view why) {
        throw UsageError(
            fmt::format("{} cannot be written ({}): name another file", file.string(), why));
    };
    // Something has that name, even if it is a link that leads nowhere: it would be replaced.
    const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
    if (!file.has_filename() || (is_there && !std::filesystem::is_regular_file(file, ignored))) {
        refuse_because("it is not an ordinary file");
    }
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, ignored)) {
        refuse_because(folder.string() + " is not a folder that can be written to");
    }
    try {
        const OutputFile probe(file);  // as OutputFile does it later
    } catch (const FileError& error) {
        refuse_because(error.reason());
    }
}

void write_aside(const std::filesystem::path& file, const std::string& text) {
    OutputFile output(file);
    output.write(std::as_bytes(std::span(text)));
    output.commit();
}

}  // namespace quartet

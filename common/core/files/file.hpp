#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet {

/// The place where reading a file may find its data.
enum class FileCache {
    warm,    ///< in the page cache, as far as the system has kept them
    drop,    ///< on the disk: the page cache was told to forget the file (forget)
    direct,  ///< on the disk: read past the page cache (O_DIRECT)
};
/// "warm", "drop", "direct".
std::string_view name(FileCache cache);

/// Addresses, offsets and lengths of direct input are multiples of this on every disk of today.
inline constexpr std::int64_t direct_alignment = 4096;
/// The least multiple of direct_alignment that holds `size`.
constexpr Bytes direct_size(Bytes size) {
    const std::int64_t blocks =
        size.value / direct_alignment + (size.value % direct_alignment != 0);
    return blocks * Bytes{direct_alignment};
}

/// An operation on a file that the system refused.
class FileError : public Failure {
  public:
    /// `operation` is a verb: "open", "read", "write".
    FileError(std::string_view operation, const std::filesystem::path& file,
              const std::string& reason);
    /// Describes the error that the system left in errno.
    FileError(std::string_view operation, const std::filesystem::path& file, int error);
    /// The system's reason alone: "No space left on device".
    [[nodiscard]] const std::string& reason() const { return reason_; }

  private:
    std::string reason_;
};

/// Owns a POSIX file descriptor.
class FileDescriptor {
  public:
    explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
    ~FileDescriptor();
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    [[nodiscard]] int get() const { return descriptor_; }
    /// Closes now; false, with errno set, if the system reports a late error.
    bool close();

  private:
    int descriptor_;
};

/// Makes a folder and the missing ones above it. Throws FileError.
void make_folder(const std::filesystem::path& folder);

/// An open folder. Its files are found by their names alone: a timed step must not allocate, but
/// making a path does.
class Folder {
  public:
    /// Throws FileError.
    explicit Folder(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }
    /// Removes a file if it exists. Throws FileError.
    void remove(std::string_view name) const;
    /// Renames a file if it exists; replaces an existing file `to`. Throws FileError.
    void rename(std::string_view from, std::string_view to) const;
    /// Flushes the folder itself to the disk: the names of its files. Throws FileError.
    void flush() const;

  private:
    std::filesystem::path path_;
    FileDescriptor descriptor_;
};

/// The name of a file: a path, or a short name in a folder, which must outlive it. A short name
/// takes no memory from the heap.
class FileName {
  public:
    FileName(std::filesystem::path path) : path_(std::move(path)) {}  // implicit: a path is a name
    /// Throws Failure for names of more than 63 characters.
    FileName(const Folder& folder, std::string_view name);

    /// The descriptor of the folder, for openat() and its like.
    [[nodiscard]] int folder() const;
    [[nodiscard]] const char* name() const {
        return folder_ == nullptr ? path_.c_str() : &name_[0];
    }
    /// The full path, for messages.
    [[nodiscard]] std::filesystem::path path() const;
    /// This name with `suffix` behind it. Throws Failure if a short name becomes too long.
    [[nodiscard]] FileName with_suffix(std::string_view suffix) const;

  private:
    std::filesystem::path path_;  ///< empty for a name in a folder
    const Folder* folder_ = nullptr;
    std::array<char, 64> name_{};
};

/// A regular file open for reading at any offset. Threads may share it.
class InputFile {
  public:
    /// Throws FileError; also for a folder, pipe or device, and if the file system has no direct
    /// input.
    explicit InputFile(FileName file, FileCache cache = FileCache::warm);

    /// Its length when it was opened.
    [[nodiscard]] Bytes size() const { return size_; }
    /// Reads out.size() bytes from `offset` on, fewer only at the file's end; returns how many.
    /// Direct input requires that address, offset and length are multiples of direct_alignment;
    /// `out` may reach beyond the file's end. Throws FileError.
    [[nodiscard]] Bytes read(Bytes offset, std::span<std::byte> out) const;

  private:
    FileName file_;
    FileCache cache_;
    FileDescriptor descriptor_;
    Bytes size_;
};

/// The contents of a file of at most 256 MiB. Throws FileError, as InputFile does, and for a longer
/// file.
std::string contents(const FileName& file);

/// Whether a file or folder of that name exists; links are followed. Throws FileError if the system
/// cannot tell: the folder may not be searched, or a link leads to itself.
bool is_there(const std::filesystem::path& path);

/// Writes a file's pages in the page cache to the disk, and drops them from the cache. Throws
/// FileError.
void forget(const FileName& file);

/// The event that a file must survive.
enum class Durability {
    killed_process,  ///< nothing is flushed to the disk
    power_cut,       ///< the file is flushed; flush its folder for its name
};

/// A file that appears under its name complete or not at all: written aside in the same folder and
/// renamed by commit(), which replaces a file that is there. Without commit() nothing is left.
class OutputFile {
  public:
    /// Throws FileError, as all members do.
    explicit OutputFile(FileName file);
    /// Writes over a file `spare` in the same folder, which becomes the new file: to write over
    /// pages in the page cache costs a fraction of what new pages cost. If `spare` has another name
    /// by a link of either kind, or is not a file, only the name `spare` is removed.
    OutputFile(FileName file, const FileName& spare);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const std::byte> data);
    void commit(Durability durability = Durability::killed_process);

  private:
    void end_here();

    FileName file_;
    FileName aside_;
    bool renamed_ = false;
    FileDescriptor descriptor_;
};

/// Throws UsageError if `file` exists and may not be overwritten, or if it cannot be written. Tries
/// by making and removing a file beside it, as OutputFile does.
void require_writable(const std::filesystem::path& file, bool overwrite);

/// Writes a text aside and renames it, so that nobody reads half of it. Throws Failure.
void write_aside(const std::filesystem::path& file, const std::string& text);

}  // namespace quartet

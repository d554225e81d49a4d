#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet {

/// An operation on a file that the system refused.
class FileError : public Failure {
  public:
    /// `operation` is a verb: "open", "read", "write".
    FileError(std::string_view operation, const std::filesystem::path& file,
              const std::string& reason);
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
    /// Closes now; false, with errno set, where the system reports a late error.
    bool close();

  private:
    int descriptor_;
};

/// A regular file open for reading at any offset. Threads may share it.
class InputFile {
  public:
    /// Throws FileError; also for a folder, pipe or device.
    explicit InputFile(std::filesystem::path file);

    /// Its length when it was opened.
    [[nodiscard]] Bytes size() const { return size_; }
    /// Reads out.size() bytes from `offset` on, fewer only at the file's end; returns how many.
    [[nodiscard]] Bytes read(Bytes offset, std::span<std::byte> out) const;

  private:
    std::filesystem::path file_;
    FileDescriptor descriptor_;
    Bytes size_;
};

/// A file that appears under its name complete or not at all: written aside in the same folder and
/// renamed by commit(), which replaces a file that is there. Without commit() nothing is left.
/// It survives a killed process, not a power cut: nothing is flushed to the disk.
class OutputFile {
  public:
    /// Throws FileError, as do all.
    explicit OutputFile(std::filesystem::path file);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const std::byte> data);
    void commit();

  private:
    std::filesystem::path file_;
    std::filesystem::path aside_;  ///< empty once renamed
    FileDescriptor descriptor_;
};

}  // namespace quartet

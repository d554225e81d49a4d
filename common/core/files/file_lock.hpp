#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/files/file.hpp"

namespace quartet {

/// The owner of a lock, as other jobs are told: "process 4711 on node12 (since 2026-01-31
/// 12:00:00.123456 UTC)". No two calls give the same text.
std::string lock_owner();

/// An advisory lock that ends with its owner, however that ends: flock() on a separate file, which
/// says who holds it. The file is removed with the lock. A killed owner leaves it behind, where it
/// hinders nobody. On a file system without locks nothing is locked.
class FileLock {
  public:
    /// The lock of a file that will be written: ".results.json.lock" beside it.
    static std::filesystem::path beside(const std::filesystem::path& file);
    /// The lock of a folder's contents: ".quartet.lock" in it.
    static std::filesystem::path of_folder(const std::filesystem::path& folder);

    /// Takes the lock `file` for `owner` without waiting. Whoever holds it for the same owner (a
    /// rank of the same job) shares it. Throws UsageError that says who has it: "`what` is in use
    /// by process 4711 on node12: wait for it, or name another one", or why the file can be no
    /// lock; FileError if it cannot be made. Local.
    FileLock(std::filesystem::path file, const std::string& what, const std::string& owner);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Whether this object holds the lock.
    [[nodiscard]] bool holds() const { return holds_; }

  private:
    bool take(const std::string& what);
    void name_owner(const std::string& owner);

    std::filesystem::path file_;
    std::optional<FileDescriptor> descriptor_;
    bool holds_ = false;
};

}  // namespace quartet

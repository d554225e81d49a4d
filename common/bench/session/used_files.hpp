#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/files/file_lock.hpp"

namespace quartet::bench {

/// The use that a run makes of a file or folder.
enum class FileUse {
    reads,         ///< a file
    writes,        ///< a file
    updates,       ///< a file, which jobs may share: it is read, and replaced as a whole at the end
    reads_folder,  ///< the files in it
    changes_folder,  ///< the same, and makes some
};

/// The files and folders that the flags of one run name. None may be written over another, under
/// any of its names; those that are written or changed are locked, so that a second job says who
/// has them.
class UsedFiles {
  public:
    /// `prefix`: with what the names begin that are taken in a folder; empty for all of them.
    void add(std::string flag, FileUse use, std::filesystem::path path, std::string prefix = "");

    /// Throws UsageError if a file that is written is another one of these, or lies among a
    /// folder's files: whatever --force says. Local.
    void require_apart() const;

    /// Locks the files that are written, if `is_root`, and the folders that are changed, which are
    /// made where they are missing, until this object is gone. Throws UsageError that says who has
    /// them. Local: for the first rank of each node, whose folders may be its own.
    void lock(const std::string& owner, bool is_root);

  private:
    struct Used {
        std::string flag;
        FileUse use;
        std::filesystem::path path;
        std::string prefix;
    };

    static bool is_written(const Used& used);
    static void require_apart(const Used& written, const Used& other);

    std::vector<Used> used_;
    std::vector<std::unique_ptr<FileLock>> locks_;
};

}  // namespace quartet::bench

#pragma once

#include <filesystem>
#include <optional>

#include "bench/command_line.hpp"

namespace quartet::bench {

/// Where reading a kernel's files may find them.
enum class FileCache {
    warm,    ///< in the system's page cache: everything was read once before the clock starts
    drop,    ///< on the disk: the page cache is told to forget the files before each run
    direct,  ///< on the disk: read past the page cache (O_DIRECT)
};

/// The flags of the kernels that can have their data in files.
struct DataOptions {
    std::optional<std::filesystem::path> folder;  ///< nothing: all data in memory
    Switch generate = Switch::off;                ///< make the files that are missing first
    Switch keep = Switch::off;                    ///< write the result to files, too
    FileCache cache = FileCache::warm;

    [[nodiscard]] bool in_files() const { return folder.has_value(); }
};

/// Adds --data, --generate, --keep and --cache; `options` outlives the command line.
void add_data_options(CommandLine& command_line, DataOptions& options);

/// Throws UsageError where flags are given that mean nothing without --data DIR.
void require_consistent(const DataOptions& options);

/// "warm", "drop", "direct".
std::string_view name(FileCache cache);

}  // namespace quartet::bench

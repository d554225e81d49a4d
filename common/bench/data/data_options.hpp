#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "bench/flags/command_line.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

/// The flags of the kernels that can have their data in files.
struct DataOptions {
    std::optional<std::filesystem::path> folder;  ///< nothing: all data in memory
    Switch generate = Switch::off;                ///< make the files that are missing first
    Switch keep = Switch::off;                    ///< write the result to files, too
    FileCache cache = FileCache::warm;            ///< how reading the files uses the page cache

    [[nodiscard]] bool in_files() const { return folder.has_value(); }
};

/// Adds --data, --generate, --keep and --cache; `options` must outlive the command line.
void add_data_options(CommandLine& command_line, DataOptions& options);

/// Throws UsageError for flags that need --data DIR if it is not given, and for several sizes with
/// it.
void require_consistent(const DataOptions& options, std::size_t sizes = 1);

}  // namespace quartet::bench

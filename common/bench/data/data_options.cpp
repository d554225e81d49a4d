#include "bench/data/data_options.hpp"

#include <fmt/format.h>

namespace quartet::bench {

void add_data_options(CommandLine& command_line, DataOptions& options) {
    const auto group = FlagGroup::data;
    command_line.add({.name = "--data",
                      .group = group,
                      .value = "memory|DIR",
                      .help = "where the data lies: memory, or a folder of .npy files",
                      .standard = "memory"},
                     [&options](const std::string& text) {
                         options.folder.reset();
                         if (text != "memory") {
                             options.folder = parse_path(text);
                         }
                     });
    command_line.add({.name = "--generate",
                      .group = group,
                      .help = "with --data DIR: make the files that are missing"},
                     options.generate);
    command_line.add(
        {.name = "--keep", .group = group, .help = "with --data DIR: leave the result there, too"},
        options.keep);
    command_line.add(
        {.name = "--cache",
         .group = group,
         .help = "with --data DIR: read from the page cache, after dropping it, or past it",
         .standard = "warm"},
        options.cache,
        std::vector<std::pair<std::string, FileCache>>{
            {"warm", FileCache::warm}, {"drop", FileCache::drop}, {"direct", FileCache::direct}});
}

void require_consistent(const DataOptions& options, std::size_t sizes) {
    if (options.in_files() && sizes > 1) {
        throw UsageError(fmt::format(
            "--data: a folder has the data of one size ({} are given): give one", sizes));
    }
    if (options.in_files()) {
        return;
    }
    for (const auto& [flag, given] : {std::pair("--generate", options.generate == Switch::on),
                                      std::pair("--keep", options.keep == Switch::on),
                                      std::pair("--cache", options.cache != FileCache::warm)}) {
        if (given) {
            throw UsageError(std::string(flag) + ": all data is in memory: add --data DIR");
        }
    }
}

}  // namespace quartet::bench

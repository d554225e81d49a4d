#include "bench/data/data_options.hpp"

namespace quartet::bench {

void add_data_options(CommandLine& command_line, DataOptions& options) {
    command_line.add("--data", "memory, or a folder of .npy files", "memory",
                     [&options](const std::string& text) {
                         if (text.empty()) {
                             throw UsageError("an empty name names no folder");
                         }
                         options.folder.reset();
                         if (text != "memory") {
                             options.folder = text;
                         }
                     });
    command_line.add("--generate", "with --data DIR: make the files that are missing",
                     options.generate);
    command_line.add("--keep", "with --data DIR: leave the result there, too", options.keep);
    command_line.add(
        "--cache", "where reading the files finds them", "warm", options.cache,
        std::vector<std::pair<std::string, FileCache>>{
            {"warm", FileCache::warm}, {"drop", FileCache::drop}, {"direct", FileCache::direct}});
}

void require_consistent(const DataOptions& options) {
    if (options.in_files()) {
        return;
    }
    const auto refuse = [](const char* flag) {
        throw UsageError(std::string(flag) + ": all data is in memory: add --data DIR");
    };
    if (options.generate == Switch::on) {
        refuse("--generate");
    }
    if (options.keep == Switch::on) {
        refuse("--keep");
    }
    if (options.cache != FileCache::warm) {
        refuse("--cache");
    }
}

}  // namespace quartet::bench

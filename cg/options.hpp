#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"

namespace quartet::cg {

/// The parts of the matrix that the ranks keep.
enum class Storage {
    full,       ///< a block of rows each
    symmetric,  ///< each element of one triangle once, spread evenly
};
/// "full", "symmetric".
std::string_view name(Storage storage);

/// The flags of checkpoint and restart.
struct CheckpointOptions {
    std::optional<std::filesystem::path> folder{};  ///< nothing: no checkpoints
    std::int64_t every = 100;                       ///< iterations between two of them
    bench::Switch every_given = bench::Switch::off;
    bench::Switch restart = bench::Switch::off;  ///< go on from the one that is there

    [[nodiscard]] bool wanted() const { return folder.has_value(); }
};

/// The flags that only cg has. Storages are run in turn, a case for each.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< run in turn
    int iterations = 500;
    std::string problem = "laplace";  ///< or "random"
    std::vector<Storage> storages{Storage::full};
    bench::DataOptions data;
    CheckpointOptions checkpoint;
};

/// The most unknowns.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 24;

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

/// Throws UsageError if flags contradict each other.
void require_consistent(const Options& options, const bench::CommonOptions& common);

}  // namespace quartet::cg

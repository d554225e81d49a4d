#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"
#include "bench/results/row.hpp"
#include "comm/topology/roles.hpp"
#include "core/block_range.hpp"

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
    bench::Switch restart = bench::Switch::off;  ///< go on from the checkpoint in the folder

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

/// The largest number of unknowns.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 24;

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

/// Throws UsageError if flags contradict each other.
void require_consistent(const Options& options, const bench::CommonOptions& common);

/// One case of the paper's dense conjugate gradients (VI.C): a symmetric system of `size` unknowns,
/// and a fixed number of iterations.
struct Problem {
    std::string system;  ///< "laplace" or "random"
    std::int64_t size = 0;
    int iterations = 0;
    Storage storage = Storage::full;

    /// Rows of the vectors, and of a full matrix, that a rank has: none on a reducer.
    [[nodiscard]] Range rows(const comm::Roles& roles, int rank) const;
    /// Rows of the worker that has the most rows.
    [[nodiscard]] std::int64_t largest_rows(const comm::Roles& roles) const {
        return divide_up(size, roles.workers());
    }
    /// Counted: iterations x 2 N^2 (VI.C), which leaves out the vectors. Traffic: the matrix once
    /// an iteration, 8 N^2 bytes or, of a triangle, 4 N^2.
    [[nodiscard]] bench::Work work(int workers) const;
};

/// With `dataflow` the first rank reduces and the others work; otherwise all work. Throws
/// UsageError for too few ranks.
comm::Roles roles_of(bench::Formulation formulation, int ranks);

}  // namespace quartet::cg

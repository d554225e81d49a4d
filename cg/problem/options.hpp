#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/checkpoint/checkpoint_options.hpp"
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

/// The algorithm of an iteration.
enum class Algorithm {
    classic,           ///< Hestenes and Stiefel: two sums over the ranks, one after the other
    single_reduction,  ///< Chronopoulos and Gear: one joint sum
};
/// "classic", "single-reduction".
std::string_view name(Algorithm algorithm);

using bench::CheckpointOptions;
using bench::Restart;

/// Checkpoints after a number of iterations: CheckpointFolder.
const bench::CheckpointKind& checkpoint_kind();

/// The flags that only cg has. Storages and algorithms are run in turn, a case for each pair.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< run in turn
    int iterations = 500;
    std::string problem = "laplace";  ///< or "random"
    std::vector<Storage> storages{Storage::full};
    std::vector<Algorithm> algorithms{Algorithm::classic};
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

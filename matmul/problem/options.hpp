#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/checkpoint/checkpoint_options.hpp"
#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"
#include "device/blas.hpp"

namespace quartet::matmul {

/// How the data flow distributes its products over its workers.
enum class WorkSchedule {
    fixed,    ///< worker w of W takes every W-th, as published
    dynamic,  ///< each takes the next one when it is done with the one before
};

/// How psgemm's matrices lie: a grid of ranks, and square blocks that are dealt to it.
struct LibraryDistribution {
    int rows = 1;  ///< of ranks
    int columns = 1;
    std::int64_t block = 1;  ///< rows and columns of a block
    bool operator==(const LibraryDistribution&) const = default;
};

/// The flags that only matmul has, and those of the kernels that can have their data in files.
struct Options {
    std::vector<std::int64_t> sizes{8192};           ///< edges of the matrices, each run in turn
    bench::Switch sizes_given = bench::Switch::off;  ///< else those of a user's own files count
    /// Edge of a tile; those at the matrices' edges may be smaller. 1024 unless given, on a GPU
    /// what its memory suggests.
    std::optional<std::int64_t> tile;
    bench::DataOptions data;
    bench::CheckpointOptions checkpoint{.folder = {}, .every = 16};
    std::optional<int> reducers;  ///< of the data flow: 2 if that leaves two workers, else 1
    WorkSchedule schedule = WorkSchedule::fixed;
    device::Math math = device::Math::fp32;           ///< of products
    std::optional<LibraryDistribution> distribution;  ///< else the fastest of those that are tried
};

/// The longest edge: far beyond what machines hold; the bytes of a few matrices are counted in 63
/// bits.
inline constexpr std::int64_t largest_edge = std::int64_t{1} << 28;

/// Checkpoints of tiles of C: bench::TileCheckpoint.
const bench::CheckpointKind& checkpoint_kind();

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

}  // namespace quartet::matmul

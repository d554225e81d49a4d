#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/program/command_line.hpp"

namespace quartet::matmul {

/// How the data flow distributes its products over its workers.
enum class WorkSchedule {
    fixed,    ///< worker w of W takes every W-th, as published
    dynamic,  ///< each takes the next one when it is done with the one before
};

/// The flags that only matmul has, and those of the kernels that can have their data in files.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< edges of the matrices, each run in turn
    /// Edge of a tile; those at the matrices' edges may be smaller. 1024 unless given, on a GPU
    /// what its memory suggests.
    std::optional<std::int64_t> tile;
    bench::DataOptions data;
    std::optional<int> reducers;  ///< of the data flow: 2 where that leaves two workers, else 1
    WorkSchedule schedule = WorkSchedule::fixed;
};

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

}  // namespace quartet::matmul

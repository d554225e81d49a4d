#pragma once

#include <cstdint>

#include "bench/command_line.hpp"
#include "bench/data_options.hpp"

namespace quartet::matmul {

/// The flags that only matmul has, and those of the kernels that can have their data in files.
struct Options {
    std::int64_t size = 8192;  ///< edge of the matrices
    std::int64_t tile = 1024;  ///< edge of a tile; those at the matrices' edges may be smaller
    bench::DataOptions data;
};

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

}  // namespace quartet::matmul

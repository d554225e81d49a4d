#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"
#include "device/blas.hpp"

namespace quartet::matmul {

/// The flags that only matmul has, and those of the kernels that can have their data in files.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< edges of the matrices, each run in turn
    /// Edge of a tile; those at the matrices' edges may be smaller. 1024 unless given, on a GPU
    /// what its memory suggests.
    std::optional<std::int64_t> tile;
    bench::DataOptions data;
    std::optional<int> reducers;  ///< of the data flow: 2 if that leaves two workers, else 1
    device::Math math = device::Math::fp32;  ///< of products
};

/// The longest edge: far beyond what machines hold; the bytes of a few matrices are counted in 63
/// bits.
inline constexpr std::int64_t largest_edge = std::int64_t{1} << 28;

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

}  // namespace quartet::matmul

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"

namespace quartet::fft {

/// The order of the result: of the bins k = k1 + M k2 (M the length of a tile), or of k.
enum class ResultOrder {
    transposed,  ///< a rank has a block of k1, stored [k2][k1]: one exchange
    natural,     ///< a rank has a block of k: one exchange more
};
std::string_view name(ResultOrder order);

/// How FFTW plans, in the library formulation.
enum class Planning { estimate, measure, patient };
std::string_view name(Planning planning);

/// The flags that only fft has.
struct Options {
    std::vector<std::int64_t> sizes{std::int64_t{1} << 24};  ///< points, each run in turn
    std::optional<std::int64_t> tiles;  ///< chosen by default_tiles unless given
    ResultOrder order = ResultOrder::transposed;
    Planning planning = Planning::estimate;
    std::optional<std::filesystem::path> wisdom;  ///< where FFTW's measured plans are kept
    bench::DataOptions data;
};

/// The most points: far beyond what machines hold, and what index arithmetic is proven for.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 44;

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

}  // namespace quartet::fft

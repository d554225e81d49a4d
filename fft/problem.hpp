#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/flags/command_line.hpp"
#include "bench/results/row.hpp"
#include "bench/session/case.hpp"
#include "core/data_source.hpp"
#include "core/units.hpp"
#include "fft/four_step.hpp"

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
    bench::DataOptions data;
};

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

/// Which indices the elements of an array have: a matrix [rows][columns] whose element (r, c) has
/// index first + r row_step + c column_step. Tiles of the input, block ranges and the transposed
/// result are all of this kind. Steps are not negative.
struct IndexOrder {
    std::int64_t first = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t row_step = 0;
    std::int64_t column_step = 0;

    /// Adjacent indices.
    static IndexOrder block(std::int64_t first, std::int64_t count) {
        return {.first = first, .rows = 1, .columns = count, .row_step = 0, .column_step = 1};
    }

    [[nodiscard]] std::int64_t size() const { return rows * columns; }
    [[nodiscard]] std::int64_t index(std::int64_t row, std::int64_t column) const {
        return first + row * row_step + column * column_step;
    }
    /// The position of the element of that index in the array, if it is there.
    [[nodiscard]] std::optional<std::int64_t> position(std::int64_t index) const;
};

/// X_k = sum_n x_n exp(-2 pi i n k / N), complex128, of N = T M points distributed over T tiles:
/// tile t is x[t::T] (the paper's VI.D). Rank r owns tiles block_range(T, P, r).
struct Problem {
    std::int64_t points = 1;
    std::int64_t tiles = 1;
    ResultOrder order = ResultOrder::transposed;

    [[nodiscard]] std::int64_t length() const { return points / tiles; }
    [[nodiscard]] FourStepFft shape(int ranks, int rank) const {
        return {tiles, length(), ranks, rank};
    }
    /// Operations: 5 N log2 N, the convention of the paper and of FFTW. Traffic: 64 N bytes, since
    /// column and row FFTs each read and write every point of 16 bytes at least once.
    [[nodiscard]] bench::Work work(int workers) const;

    /// The n of a rank's tiles, as they lie.
    [[nodiscard]] IndexOrder input_order(int ranks, int rank) const;
    /// The k of a rank's part of the result, as they lie.
    [[nodiscard]] IndexOrder output_order(int ranks, int rank) const;
};

/// The problem of the options at one of their sizes. Throws UsageError if the number of tiles does
/// not divide the points.
Problem problem(const Options& options, std::int64_t points, int ranks);

/// The source of the points' real and imaginary parts, in turn.
DataSource source_of_points(std::uint64_t seed);

/// Elements first, first + step, .. of x: real and imaginary part uniform in [-0.5, 0.5), a
/// function of (seed, index).
void fill_points(std::span<Point> points, std::uint64_t seed, std::int64_t first,
                 std::int64_t step);

/// The problem's tiles as they follow one another, x[0::T], x[1::T] and so on: their elements
/// from number `first` on.
void fill_tiles(std::span<Point> points, std::uint64_t seed, const Problem& problem,
                std::int64_t first);
/// Enqueues fill_tiles() for memory of a GPU; the numbers have the same bits.
void fill_tiles_on_gpu(device::View<Point> points, std::uint64_t seed, const Problem& problem,
                       std::int64_t first, device::Stream& stream);

/// Reads an array in pieces: calls `use` for one piece after another, whose first element is number
/// `first` of the array. All pieces together are the array.
using UsePiece = std::function<void(std::int64_t first, std::span<const Point> piece)>;
using ReadPieces = std::function<void(const UsePiece& use)>;

/// All divisors of `number`, ascending. Takes about sqrt(number) steps.
std::vector<std::int64_t> divisors(std::int64_t number);

/// The most points of a tile that fit the cache. The FFTs work on a tile, or on eight rows over
/// all tiles, at a time, and are fastest where both fit a second-level cache: at 2^24 points tiles
/// of 2^13 were the fastest of 2^11 to 2^14 (docs/notes/fft.md). From 2^26 points on tiles grow
/// with the root of N, so that the sums over the tiles do not outgrow the cache first.
std::int64_t longest_tile(std::int64_t points);

/// How many tiles a transform of `points` has unless the user chooses: the least multiple of
/// `ranks` that divides the points and whose tiles fit the cache, first of all among those that
/// give each rank whole SIMD blocks. Where there is none, the most even tiles: the fewest whose
/// largest part of the exchange is within 5% of the smallest possible. For a prime, 1.
std::int64_t default_tiles(std::int64_t points, int ranks);

/// Points as the numbers that they consist of: real and imaginary parts in turn.
inline device::View<const double> as_real(device::View<const Point> points) {
    return device::view_as<double>(device::as_bytes(points));
}
inline device::View<double> as_real(device::View<Point> points) {
    return device::view_as<double>(device::as_bytes(points));
}

}  // namespace quartet::fft

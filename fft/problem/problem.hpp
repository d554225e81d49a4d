#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "bench/results/row.hpp"
#include "core/data_source.hpp"
#include "core/units.hpp"
#include "device/four_step_fft.hpp"
#include "fft/problem/index_order.hpp"
#include "fft/problem/options.hpp"

namespace quartet::fft {

using Point = std::complex<double>;

/// X_k = sum_n x_n exp(-2 pi i n k / N), complex128, of N = T M points distributed over T tiles:
/// tile t is x[t::T] (the paper's VI.D). Rank r owns tiles block_range(T, P, r).
struct Problem {
    std::int64_t points = 1;
    std::int64_t tiles = 1;
    ResultOrder order = ResultOrder::transposed;

    [[nodiscard]] std::int64_t length() const { return points / tiles; }
    [[nodiscard]] device::FourStepFft shape(int ranks, int rank) const {
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

/// Of the points' real and imaginary parts, in turn.
DataSource source_of_points(std::uint64_t seed);

/// Elements first, first + step, .. of x: real and imaginary part uniform in [-0.5, 0.5), a
/// function of (seed, index).
void fill_points(std::span<Point> points, std::uint64_t seed, std::int64_t first,
                 std::int64_t step);

/// The problem's tiles as they follow one another, x[0::T], x[1::T] and so on: their elements
/// from number `first` on.
void fill_tiles(std::span<Point> points, std::uint64_t seed, const Problem& problem,
                std::int64_t first);

}  // namespace quartet::fft

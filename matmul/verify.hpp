#pragma once

#include <vector>

#include "matmul/partition.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// Freivalds' check (1977) of one rank's tiles of C, in float64: C(i,j) x_j against
/// A(i,:) (B(:,j) x_j), with a random vector x_j for each tile column j. The right-hand sides are
/// computed once; a check then reads each tile of C once, N^2 work instead of N^3.
///
/// A row of a tile may deviate by its own bound. Let a be the row of A, b_c the columns of B. An
/// element is a sum of N products, each sum of which was rounded: with rounding errors of mean 0 it
/// errs by about sqrt(N) u (|a| . |b_c|), u = 2^-24 (Higham and Mary 2019; the certain bound,
/// N u, would hide errors of whole tiles), and |a| . |b_c| <= ||a|| ||b_c||. The entries of x_j lie
/// in +-[1/2, 1), with random signs that the computation does not know, so that by Hoeffding's
/// inequality the row's deviation stays below
///
///     8 sqrt(N) u ||a|| ||B(:,j)||_F  +  N B 2^-149
///
/// but for a probability of 2 exp(-32). The last term is what products below the least normal
/// number lose. An element that is wrong by twice the bound, or more, is always found where the
/// others are right; so is a missing inner index, whose size is that of the entries, not of their
/// rounding.
class Freivalds {
  public:
    /// Reads the rank's tiles of A and B; each once. Local.
    Freivalds(const Problem& problem, const Block& block, int threads, TileReader& tiles);

    /// The largest deviation of a row of C's tiles in units of its bound: sound results are far
    /// below 1. NaN or infinity where the tiles hold such. Local; 0 for an empty block.
    [[nodiscard]] double deviation(TileReader& tiles) const;

    /// The bound of a row of a tile: `row` counts from the block's first element, `column` is the
    /// tile's column.
    [[nodiscard]] double bound(std::int64_t row, std::int64_t column) const;

    /// What it takes at most, for a rank with this block.
    static Bytes memory(const Problem& problem, const Block& block);

  private:
    void multiply_b(TileReader& tiles, std::vector<double>& products);
    void multiply_a(TileReader& tiles, const std::vector<double>& products);
    [[nodiscard]] std::span<const double> vector_of(std::int64_t column) const;

    Problem problem_;
    Block block_;
    int threads_;
    std::int64_t width_;                ///< tile columns of the block
    std::vector<double> vectors_;       ///< x_j, one after another
    std::vector<double> expected_;      ///< A(i,:) B(:,j) x_j: [row of the block][tile column]
    std::vector<double> row_norms_;     ///< of A, squared
    std::vector<double> column_norms_;  ///< Frobenius, of B's tile columns, squared
};

}  // namespace quartet::matmul

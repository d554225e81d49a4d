#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bench/session/arena.hpp"
#include "device/blas.hpp"
#include "matmul/problem/checksums.hpp"
#include "matmul/problem/partition.hpp"
#include "matmul/problem/product.hpp"

namespace quartet::matmul {

/// Freivalds' check (1977) of one rank's tiles of C, in float64: C(i,j) x_j against
/// A(i,:) (B(:,j) x_j), with a random vector x_j for each tile column j. The right-hand sides are
/// computed once; a check then reads each tile of C once, N^2 work instead of N^3.
///
/// A row of a tile may deviate by its own bound. Let a be the row of A, b_c the columns of B,
/// u = 2^-24. An element is a sum of N products. With rounding errors of mean 0 (Higham and Mary
/// 2019; the certain bound, N u, would hide errors of whole tiles) the sums that were rounded on
/// the way add their variances. Entries are uniform in [0, 1), so that these sums grow evenly; one
/// after the other, which is the worst order, they make a standard deviation of at most
/// 0.26 sqrt(N) u (a . b_c), where a . b_c = 0.75 ||a|| ||b_c||. The entries of x_j lie in
/// +-[1/2, 1), 0.76 in the square mean, with random signs that the computation does not know. So a
/// row's deviation has a standard deviation of at most 0.15 sqrt(N) u ||a|| ||B(:,j)||_F, and the
/// bound, of 6.7 of them, is
///
///     sqrt(N + 64) u ||a|| ||B(:,j)||_F  +  N B 2^-149
///
/// A sound row exceeds it with a probability of 2e-11; libraries, which add in blocks, stay far
/// below. The 64 are for small N, where the products' own rounding counts and the normal law does
/// not hold; the last term is what products below the least normal number lose. An element that is
/// wrong by twice the bound, or more, is always found if the others are right.
///
/// With TF32 (Math::tf32) each input loses up to 2^-10 of itself where its bits are cut off, and
/// tensor cores may cut 2^-23 off a sum each time that they have added four products or more. So an
/// element is off by e_c <= (2 x 2^-10 + N/4 x 2^-23) ||a|| ||b_c|| at most (Cauchy and Schwarz),
/// whatever the data. The signs of x_j do not know these errors, and |x_j| < 1, so a row exceeds
/// 7 sqrt(sum_c e_c^2) with a probability of 2 exp(-7^2 / 2) = 5e-11 (Hoeffding 1963): the bound
/// has
///
///     7 (2^-9 + N 2^-25) ||a|| ||B(:,j)||_F
///
/// besides. Emulation by nine products (Math::bf16x9) has float32's bound.
class Freivalds {
  public:
    /// Reads the rank's tiles of A and B from the product, each once, and compares them with what
    /// is recorded of them, if anything is. Local.
    Freivalds(bench::Arena& arena, const Problem& problem, const Block& block, int threads,
              Product& product, const RecordedSums& recorded = {},
              device::Math math = device::Math::fp32);
    /// Counts what the check takes. Local.
    static void count(bench::Arena& arena, const Problem& problem, const Block& block);

    /// The largest deviation of a row of C's tiles in units of its bound: sound results are far
    /// below 1. NaN or infinity if the tiles hold such. Local; 0 for an empty block.
    [[nodiscard]] double deviation(Product& product) const;

    /// The bound of a row of a tile: `row` counts from the block's first element, `column` is the
    /// tile's column.
    [[nodiscard]] double bound(std::int64_t row, std::int64_t column) const;

  private:
    /// Buffers of float64.
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const Block& block);

        std::vector<double> vectors;       ///< x_j, one after another
        std::vector<double> expected;      ///< A(i,:) B(:,j) x_j: [row of the block][tile column]
        std::vector<double> row_norms;     ///< of A, squared
        std::vector<double> column_norms;  ///< Frobenius, of B's tile columns, squared
    };
    /// The same while tiles of A and B are read.
    struct Scratch {
        Scratch(bench::Arena& arena, const Problem& problem, const Block& block);

        std::vector<double> products;  ///< B(:,j) x_j
        std::vector<double> squares;   ///< of a tile's rows
    };
    using ReadInput = std::function<std::span<const float>(Operand, TileIndex)>;

    void multiply_b(const ReadInput& input, Scratch& scratch);
    void multiply_a(const ReadInput& input, const Scratch& scratch);
    [[nodiscard]] std::span<const double> vector_of(std::int64_t column) const;

    Problem problem_;
    Block block_;
    int threads_;
    device::Math math_;
    std::int64_t width_;  ///< tile columns of the block
    Buffers buffers_;
};

}  // namespace quartet::matmul

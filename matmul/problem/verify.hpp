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

/// Whose numbers A and B have: uniform ones in [0, 1), or a user's, of any size in any order.
enum class Numbers { uniform, own };

/// Freivalds' check (1977) of one rank's tiles of C, in float64: C(i,j) y_j against
/// A(i,:) (B(:,j) y_j), with a random vector y_j for each tile column j. The right-hand sides are
/// computed once; a check then reads each tile of C once, N^2 work instead of N^3.
///
/// A row of a tile may deviate by its own bound. Let a be the row of A, b_kc an element of B,
/// u = 2^-24. Element c of the row is a sum of N products, of size g_c = sum_k |a_k b_kc|. If it is
/// off by e_c, the row deviates by sum_c y_c e_c, where the computation does not know the signs of
/// y. So errors e_c <= e g_c with a standard deviation s of e make a deviation with one of at most
/// s |(y_c g_c)|, and by Minkowski
///
///     |(y_c g_c)|  <=  sum_k |a_k| |(y_c b_kc)_c|  <=  h  =  |a| |(y_c b_kc)_kc|
///
/// With rounding errors of mean 0 (Higham and Mary 2019; the certain bound, N u, would hide errors
/// of whole tiles) the sums that were rounded on the way add their variances. Entries are uniform
/// in [0, 1), so that these sums grow evenly; one after the other, which is the worst order, s is
/// at most 0.26 sqrt(N) u, and |(y_c g_c)| is 0.75 h. The bound, of 6.6 standard deviations, is
///
///     1.3 sqrt(N + 64) u h  +  N sum_c |y_c| 2^-149
///
/// A sound row exceeds it with a probability of 4e-11; libraries, which add in blocks, stay far
/// below. The 64 are for small N, where the products' own rounding counts and the normal law does
/// not hold; the last term is what products below the least normal number lose. An element that is
/// wrong by twice the bound over |y_c|, or more, is always found if the others are right. Entries
/// of y lie in +-[1/2, 1).
///
/// A user's own numbers may be of any size (Numbers::own). Then h = sum_k |a_k| |(y_c b_kc)_c|, so
/// that a large a_k that meets zeros does not count, at the price of memory. Entries of y are taken
/// times the power of two that brings the norm of B's column to 1, so that each column counts
/// alike. Sums may be as large as at the end from their first product on, so s is sqrt(N / 3) u at
/// most, and 1.3 becomes 4, 6.9 standard deviations. And what is added to a sum so much larger that
/// it is lost, always to the same side, has no mean of 0. By Hoeffding (1963) the sum of e_c y_c
/// with random signs exceeds 7 times its norm with a probability of 5e-11, so the bound has
///
///     7 sum_k |a_k| |(y_c b_kc)_c|   over those k where the term is below 2 u h
///
/// besides; and u h / 2 instead of the term for those that equal the mean, h / N, within 2^-16:
/// equal numbers are rounded to the same side as long as the exponent of the sum lasts, u h / 2
/// each at most while it grows.
///
/// With TF32 (Math::tf32) each input loses up to 2^-10 of itself where its bits are cut off, and
/// tensor cores may cut 2^-23 off a sum each time that they have added four products or more. So an
/// element is off by e_c <= (2 x 2^-10 + N/4 x 2^-23) g_c at most, whatever the data, and the bound
/// has Hoeffding's
///
///     7 (2^-9 + N 2^-25) h
///
/// besides. Emulation by nine products (Math::bf16x9) has float32's bound.
class Freivalds {
  public:
    /// What the products are made of.
    struct Arithmetic {
        device::Math math = device::Math::fp32;
        Numbers numbers = Numbers::uniform;
    };

    /// Reads the rank's tiles of A and B from the product, each once (a user's own twice), and
    /// compares them with what is recorded of them, if anything is. Local.
    Freivalds(bench::Arena& arena, const Problem& problem, const Block& block, int threads,
              Product& product, const RecordedSums& recorded, Arithmetic arithmetic);
    Freivalds(bench::Arena& arena, const Problem& problem, const Block& block, int threads,
              Product& product)
        : Freivalds(arena, problem, block, threads, product, {}, {}) {}
    /// Counts what the check takes. Local.
    static void count(bench::Arena& arena, const Problem& problem, const Block& block,
                      Numbers numbers);

    /// The largest deviation of a row of C's tiles in units of its bound: sound results are far
    /// below 1. NaN or infinity if the tiles hold such. Local; 0 for an empty block.
    [[nodiscard]] double deviation(Product& product) const;

    /// The bound of a row of a tile: `row` counts from the block's first element, `column` is the
    /// tile's column.
    [[nodiscard]] double bound(std::int64_t row, std::int64_t column) const;

  private:
    /// Buffers of float64.
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const Block& block, Numbers numbers);

        std::vector<double> vectors;   ///< y_j, one after another
        std::vector<double> weights;   ///< sum_c |y_c| of each tile column
        std::vector<double> expected;  ///< A(i,:) B(:,j) y_j: [row of the block][tile column]
        // Of uniform numbers.
        std::vector<double> row_norms;     ///< of A, squared
        std::vector<double> column_norms;  ///< |(y_c b_kc)_kc|, squared
        // Of a user's own.
        std::vector<double> bounds;  ///< as expected; h while A is read
    };
    /// The same while tiles of A and B are read.
    struct Scratch {
        Scratch(bench::Arena& arena, const Problem& problem, const Block& block, Numbers numbers);

        std::vector<double> products;  ///< B(:,j) y_j: [row of B][tile column]
        std::vector<double> squares;   ///< of a tile's rows or columns
        // Of a user's own.
        std::vector<double> sizes;  ///< |(y_c b_kc)_c|: as products
        std::vector<double> lost;   ///< of a tile's rows: [row][tile column]
    };
    using ReadInput = std::function<std::span<const float>(Operand, TileIndex)>;

    void add_squares(std::span<const float> tile, std::span<double> squares) const;
    void weigh_columns(const ReadInput& input, Scratch& scratch);
    void multiply_b(const ReadInput& input, Scratch& scratch);
    void multiply_a(const ReadInput& input, std::int64_t tile_row, const Scratch& scratch);
    void add_sizes(std::span<const float> values, const double* sizes, double* whole) const;
    void find_lost(const ReadInput& input, std::int64_t tile_row, Scratch& scratch) const;
    void make_bounds(std::int64_t tile_row, const Scratch& scratch);
    [[nodiscard]] double allowed(double factor, double h, std::int64_t column) const;
    [[nodiscard]] bool is_own() const { return arithmetic_.numbers == Numbers::own; }
    [[nodiscard]] std::span<const double> vector_of(std::int64_t column) const;
    [[nodiscard]] std::span<double> vector_of(std::int64_t column);
    /// Where a row of a tile row begins in what has a column for each tile column.
    [[nodiscard]] std::size_t place(std::int64_t tile_row, std::int64_t row) const;

    Problem problem_;
    Block block_;
    int threads_;
    Arithmetic arithmetic_;
    std::int64_t width_;  ///< tile columns of the block
    Buffers buffers_;
};

}  // namespace quartet::matmul

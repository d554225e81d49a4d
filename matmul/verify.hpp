#pragma once

#include <span>
#include <vector>

#include "device/arena.hpp"
#include "device/blas.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// Freivalds' check (1977) of one rank's tiles of C, in float64: C(i,j) y_j against
/// A(i,:) (B(:,j) y_j), with a random vector y_j for each tile column j. The right-hand sides are
/// computed once; a check then reads each tile of C once, N^2 work instead of N^3.
///
/// A row of a tile may deviate by 1.3 sqrt(N + 64) u h, with u = 2^-24 and h = N sqrt(7 w / 108)
/// for a tile of w columns. Entries of A and B are uniform in [0, 1) and entries of y in
/// +-[1/2, 1), so h = |a| |(y_c b_kc)_kc| for a row a of A, on average, and it bounds
/// |(y_c C_ic)_c|. Rounding errors of mean 0 (Higham and Mary 2019) add their variances: summed one
/// product after the other, the worst order, a row deviates by 0.2 sqrt(N) u h in the standard
/// deviation. So a sound row exceeds the bound with a probability of 4e-11. The 64 are for small N,
/// where the normal law does not hold. An element that is wrong by 4 bounds is always found if the
/// others are right.
///
/// TF32 cuts up to 2^-10 off each input, and tensor cores up to 2^-23 off a sum after each four
/// products: an element is off by 2^-9 + N 2^-25 of itself at most. Random signs make a row exceed
/// 7 times the norm of that with a probability of 5e-11 (Hoeffding 1963), so with Math::tf32 the
/// bound has 7 (2^-9 + N 2^-25) h besides. Math::bf16x9 has float32's bound.
class Freivalds {
  public:
    Freivalds(device::Arena& arena, const Problem& problem, const Block& block, int threads,
              device::Math math = device::Math::fp32);

    /// Reads the rank's tiles of A and B from the product, each once. Before deviation(). Local.
    void set_up(Product& product);

    /// The largest deviation of a row of C's tiles in units of its bound: sound results are far
    /// below 1. NaN or infinity if a tile holds one. Local; 0 for an empty block.
    [[nodiscard]] double deviation(Product& product) const;
    /// The bound of a row of a tile in that tile column.
    [[nodiscard]] double bound(std::int64_t column) const;

  private:
    void multiply_b(Product& product, std::span<double> products);
    void multiply_a(Product& product, std::span<const double> products);
    [[nodiscard]] std::span<const double> vector_of(std::int64_t column) const;
    /// Where a row of a tile row begins in `expected_`.
    [[nodiscard]] std::size_t place(std::int64_t tile_row, std::int64_t row) const;

    Problem problem_;
    Block block_;
    int threads_;
    device::Math math_;
    std::int64_t width_;            ///< tile columns of the block
    std::vector<double> vectors_;   ///< y_j, one after another
    std::vector<double> expected_;  ///< A(i,:) B(:,j) y_j: [row of the block][tile column]
};

}  // namespace quartet::matmul

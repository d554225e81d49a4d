#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
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

/// C = A B for square matrices of this edge, row-major, in memory that the CPU reads. Returns when
/// C is complete. Local.
using Multiply = std::function<void(std::int64_t edge, device::View<const float> a,
                                    device::View<const float> b, device::View<float> c)>;

/// Multiplies by the device's BLAS, as the products of tiles do. Borrows both arguments.
Multiply multiply_on(device::Device& device, device::Stream& stream);

/// The arithmetic that `multiply` computes in: "fp32", "tf32", "bf16" or "other", with
/// " with narrow sums" if sums keep fewer bits than float32's. Freivalds' bound grows with N and so
/// hides rounded inputs; this product is small at any N, and exact in float32:
///
///     A = (F, S, G), its rows;  B = (S', F', G'), its columns;  A B is compared where both match
///
/// - F has odd numbers of 24 bits and S picks one of them for each element of C, so F S' and S F'
///   show what became of the inputs. Half of them are below 2^-20, where fp16 has fewer bits than
///   tf32.
/// - G has whole numbers from 1 to 255, exact in each of these formats. Any sum of 256 products is
///   below 256 x 255^2 < 2^24, so it is exact in float32 in any order, fused or not.
///
/// Emulation by nine products of bfloat16 (bf16x9) is exact, too: "fp32". The matrices have the
/// edge of a tile, but at least 64 and at most 256: this takes a few milliseconds. Local.
std::string arithmetic_of(device::Device& device, std::int64_t tile, const Multiply& multiply);

/// What arithmetic_of() returns if a library computes in the requested arithmetic.
constexpr std::string_view arithmetic_wanted(device::Math math) {
    return device::name(math == device::Math::tf32 ? math : device::Math::fp32);
}

}  // namespace quartet::matmul

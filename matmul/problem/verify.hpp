#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/session/arena.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "device/blas.hpp"
#include "device/device.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// C = A B for square matrices of this edge, row-major, in memory that the CPU reads. Returns when
/// C is there. Local.
using Multiply = std::function<void(std::int64_t edge, device::View<const float> a,
                                    device::View<const float> b, device::View<float> c)>;

/// By the device's BLAS, which is what tiles are multiplied with. Borrows both.
Multiply multiply_on(device::Device& device, device::Stream& stream);

/// The arithmetic that `multiply` computes in: "fp32", "tf32", "bf16", "fp16", "bf16x3", "tf32x3"
/// or "other", with " with narrow sums" if sums keep fewer bits than float32's. Freivalds' bound
/// grows with N and so hides rounded inputs; this product is small at any N, and exact in float32:
///
///     A = (F, S, G), its rows;  B = (S', F', G'), its columns;  A B is compared where both match
///
/// - F has odd numbers of 24 bits and S picks one of them for each element of C, so F S' and S F'
///   show what became of the inputs: a format of fewer bits changes every one. Half of them are
///   below 2^-20, where fp16 has fewer bits than tf32.
/// - G has whole numbers from 1 to 255, exact in each of these formats. Any sum of 256 products is
///   below 256 x 255^2 < 2^24, so it is exact in float32 in any order, fused or not.
///
/// Nine products of three bfloat16 each (bf16x9) are exact, too: they read "fp32". The edge is the
/// tile's, but 64 at least and 256 at most: three matrices, 0.75 MiB at most, for a few
/// milliseconds. Local.
std::string arithmetic_of(device::Device& device, std::int64_t tile, const Multiply& multiply);

/// What arithmetic_of() finds where a library computes as it was asked to.
constexpr std::string_view arithmetic_wanted(device::Math math) {
    return device::name(math == device::Math::tf32 ? math : device::Math::fp32);
}

/// The checksums that a folder's manifest has of the tiles of A and B: what the check of a product
/// expects then comes from sound input.
class RecordedSums {
  public:
    /// No sums.
    RecordedSums() = default;
    /// Reads the manifest, if there is one. Throws Failure. Local.
    explicit RecordedSums(std::filesystem::path folder);

    /// Throws Failure that names the file where its elements are not the recorded ones.
    void compare(Operand operand, TileIndex tile, std::span<const float> elements) const;

  private:
    std::filesystem::path folder_;
    std::map<std::string, std::uint64_t> sums_;
};

/// Freivalds' check (1977) of one rank's tiles of C, in float64: C(i,j) y_j against
/// A(i,:) (B(:,j) y_j), with a random vector y_j for each tile column j. The right-hand sides are
/// computed once; a check then reads each tile of C once, N^2 work instead of N^3.
///
/// A row of a tile may deviate by its own bound. Let a be the row of A, b_kc an element of B, and
/// u = 2^-24. Rounding errors of mean 0 (Higham and Mary 2019) add their variances. Entries are
/// uniform in [0, 1), so that sums grow evenly: one after the other, which is the worst order,
/// makes an element deviate by 0.26 sqrt(N) u of itself in the standard deviation, and the row by
/// that times 0.75 h at most, where h = |a| |(y_c b_kc)_kc|. The bound is 6.6 standard deviations:
///
///     1.3 sqrt(N + 64) u h
///
/// A sound row exceeds it with a probability of 4e-11. The 64 are for small N, where the products'
/// own rounding counts. An element that is wrong by twice the bound over |y_c|, or more, is always
/// found if the others are right. Entries of y lie in +-[1/2, 1).
///
/// With TF32 (Math::tf32) inputs lose up to 2^-10 of themselves each, and tensor cores may cut
/// 2^-23 off a sum after each four products: an element is off by (2 x 2^-10 + N/4 x 2^-23) of
/// itself at most. By Hoeffding (1963) random signs make the row exceed 7 times the norm of that
/// with a probability of 5e-11, so the bound has 7 (2^-9 + N 2^-25) h besides. Emulation by nine
/// products (Math::bf16x9) has float32's bound.
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

        std::vector<double> vectors;       ///< y_j, one after another
        std::vector<double> expected;      ///< A(i,:) B(:,j) y_j: [row of the block][tile column]
        std::vector<double> row_norms;     ///< of A, squared
        std::vector<double> column_norms;  ///< |(y_c b_kc)_kc|, squared
    };
    /// While tiles of A and B are read.
    struct Scratch {
        Scratch(bench::Arena& arena, const Problem& problem, const Block& block);

        std::vector<double> products;  ///< B(:,j) y_j: [row of B][tile column]
        std::vector<double> squares;   ///< of a tile's rows
    };
    using ReadInput = std::function<std::span<const float>(Operand, TileIndex)>;

    void multiply_b(const ReadInput& input, Scratch& scratch);
    void multiply_a(const ReadInput& input, std::int64_t tile_row, const Scratch& scratch);
    [[nodiscard]] std::span<const double> vector_of(std::int64_t column) const;
    /// Where a row of a tile row begins in what has a column for each tile column.
    [[nodiscard]] std::size_t place(std::int64_t tile_row, std::int64_t row) const;

    Problem problem_;
    Block block_;
    int threads_;
    device::Math math_;
    std::int64_t width_;  ///< tile columns of the block
    Buffers buffers_;
};

}  // namespace quartet::matmul

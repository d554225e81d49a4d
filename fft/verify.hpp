#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/arena.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

struct ComplexSum;

/// Numbers whose real and imaginary parts are apart, so that loops over them vectorise: elements
/// whose sum is not compensated. For a bin they are added in `lanes` sums. The sums of such sums
/// are compensated.
struct CheckRow {
    static constexpr std::size_t width = 512;
    static constexpr std::size_t lanes = 8;

    alignas(64) std::array<double, width> re;
    alignas(64) std::array<double, width> im;
};

/// Whether an array is the transform of another, without transforming: two checks whose expected
/// values follow from the input alone.
///
/// The checksum over every bin, sum_k z^k X_k, with z on the unit circle. By geometric series it is
/// sum_n x_n (1 - z^N) / (1 - z exp(-2 pi i n / N)). z = exp(2 pi i (2 g + 1) / (2 N)) for a seeded
/// g with 2 g + 1 and N coprime: then z^N = -1, a term is x_n (1 - i cot(pi (n - g - 1/2) / N)),
/// every power of z is an exact fraction of the circle, and no two bins have the same weight. A bin
/// that is wrong, missing or swapped with another shows, wherever it is.
///
/// And single bins by their definition, one in each of up to 64 segments of the result: up to 8
/// seeded k with k + j N / D, j from 0 to D - 1, where D = gcd(N, 8). With the sums over the
/// residues r of n, S_r = sum_(n = r mod D) x_n exp(-2 pi i k n / N), these D bins are
/// sum_r S_r exp(-2 pi i j r / D): all of them cost one pass over the input, as one would.
class TransformCheck {
  public:
    static constexpr int most_passes = 8;  ///< the number of seeded k
    static constexpr std::int64_t most_bins_of_pass = CheckRow::lanes;

    /// Makes the memory; threads are of this rank. Local.
    TransformCheck(device::Arena& arena, std::int64_t points, std::uint64_t seed, int threads,
                   const comm::Communicator& world);

    /// Works out what to expect, from this rank's input: O(N) for each seeded k. The orders say
    /// which n and k this rank has; all ranks together have each once. Collective.
    void expect(const IndexOrder& input_order, const IndexOrder& output_order,
                const ReadPieces& input);

    /// Compares this rank's output. Errors are relative to what rounding scales with: sqrt(N) |x|
    /// for the checksum, |x| for a bin. Collective, the same answer on all ranks.
    [[nodiscard]] bench::Check verify(const ReadPieces& output) const;

  private:
    [[nodiscard]] int passes() const {
        return static_cast<int>(std::min<std::int64_t>(most_passes, points_ / bins_of_pass_));
    }
    void choose_weight_and_bins();
    void make_tables();
    /// Adds what these elements contribute to S_r, for r from 0 to D - 1, to `sums`.
    void add_residues(const CheckRow& x, std::size_t pass, std::int64_t index, std::int64_t count,
                      std::span<ComplexSum> sums) const;
    /// The bins of all passes from all S_r.
    [[nodiscard]] std::vector<Point> bins_of(std::span<const Point> residues) const;
    /// sum_j x_j (1 - i cot(pi (n_j - g - 1/2) / N)) over n_j = first + j step.
    [[nodiscard]] Point series(const CheckRow& x, std::int64_t first, std::int64_t count) const;

    std::int64_t points_;
    std::uint64_t seed_;
    int threads_;
    const comm::Communicator& world_;
    RootsOfUnity roots_;         ///< of order N
    RootsOfUnity half_roots_;    ///< of order 2 N
    std::int64_t bins_of_pass_;  ///< D
    /// By pass: exp(-2 pi i k j step / N), with the step of the input's columns.
    device::Buffer<CheckRow> twiddles_;
    device::Buffer<CheckRow> angles_;   ///< a single row: cos and sin of pi j step / N
    device::Buffer<CheckRow> weights_;  ///< a single row: of output column j, relative to column 0

    IndexOrder input_;
    IndexOrder output_;
    std::uint64_t odd_ = 1;                ///< 2 g + 1
    std::vector<std::int64_t> seeded_;     ///< k by pass
    std::vector<std::int64_t> positions_;  ///< of the bins in this rank's output, -1: elsewhere

    double norm_ = 0;  ///< |x|
    Point expected_checksum_;
    std::vector<Point> expected_bins_;
};

}  // namespace quartet::fft

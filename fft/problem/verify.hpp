#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/block_range.hpp"
#include "core/roots_of_unity.hpp"
#include "fft/problem/problem.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

/// A sum that keeps what its additions round off (Neumaier).
class CompensatedSum {
  public:
    void add(double value) {
        const double sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0;
    double lost_ = 0;
};

/// The same for complex numbers.
struct ComplexSum {
    CompensatedSum re;
    CompensatedSum im;
    void add(const std::complex<double>& value) {
        re.add(value.real());
        im.add(value.imag());
    }
    [[nodiscard]] std::complex<double> value() const { return {re.value(), im.value()}; }
};

/// A stretch of a row of an array, within a piece of it.
struct Stretch {
    std::int64_t position;  ///< in the piece
    std::int64_t index;     ///< of its first element
    std::int64_t count;
};

/// Stretches of at most `width` that make up an array: each row has its own.
struct Stretches {
    const IndexOrder& order;
    std::int64_t width;

    [[nodiscard]] std::int64_t in_row() const { return (order.columns + width - 1) / width; }
    /// The number of the stretch that holds an element.
    [[nodiscard]] std::int64_t number_of(std::int64_t element) const {
        return element / order.columns * in_row() + element % order.columns / width;
    }
    /// The part of a stretch that lies in the piece.
    [[nodiscard]] Stretch cut(std::int64_t number, const Range& piece) const {
        const std::int64_t row = number / in_row();
        const std::int64_t column = number % in_row() * width;
        const std::int64_t whole = row * order.columns + column;
        const std::int64_t begin = std::max(whole, piece.begin);
        const std::int64_t end =
            std::min(whole + std::min(width, order.columns - column), piece.end);
        return {begin - piece.begin, order.index(row, column + begin - whole), end - begin};
    }
};

/// body(thread, stretch) for the stretches that make up a piece of the array, each thread in order.
template <typename Body>
void for_each_stretch(const Stretches& stretches, const Range& piece, int threads, Body body) {
    if (piece.size() == 0) {
        return;
    }
    const std::int64_t first = stretches.number_of(piece.begin);
    const std::int64_t count = stretches.number_of(piece.end - 1) + 1 - first;
    system::parallel_parts(threads, [&](int thread) {
        const Range mine = block_range(count, threads, thread);
        for (std::int64_t number = mine.begin; number < mine.end; ++number) {
            body(thread, stretches.cut(first + number, piece));
        }
    });
}

inline std::span<const std::complex<double>> part_of(std::span<const std::complex<double>> piece,
                                                     const Stretch& stretch) {
    return piece.subspan(static_cast<std::size_t>(stretch.position),
                         static_cast<std::size_t>(stretch.count));
}

/// An array as it can be seen: calls `use` for one piece of it after another, whose first element
/// is number `first` of the array. All pieces together are the array.
using UsePiece =
    std::function<void(std::int64_t first, std::span<const std::complex<double>> piece)>;
using ReadPieces = std::function<void(const UsePiece& use)>;

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
    static constexpr int most_bins_of_pass = 8;

    /// `input` and `output` say which n and k this rank has; all ranks together have each once.
    /// Threads are of this rank. Collective.
    TransformCheck(std::int64_t points, std::uint64_t seed, const IndexOrder& input,
                   const IndexOrder& output, int threads, const comm::Communicator& world);

    /// Works out what to expect, from this rank's input: O(N) for each seeded k. Collective.
    void expect(const ReadPieces& input);
    void expect(std::span<const std::complex<double>> input);

    /// Compares this rank's output. Errors are relative to what rounding scales with: sqrt(N) |x|
    /// for the checksum, |x| for a bin. Collective, the same answer on all ranks.
    [[nodiscard]] bench::Check verify(const ReadPieces& output) const;
    [[nodiscard]] bench::Check verify(std::span<const std::complex<double>> output) const;

    /// Memory of this class, at most.
    [[nodiscard]] static Bytes memory(std::int64_t points, int threads);

  private:
    /// Elements that are summed up plainly, those of a bin in `lanes` sums; the sums of these are
    /// compensated.
    static constexpr std::int64_t width = 512;
    static constexpr std::int64_t lanes = most_bins_of_pass;

    /// Numbers whose real and imaginary parts are apart, so that loops over them vectorise.
    struct Row {
        alignas(64) std::array<double, width> re;
        alignas(64) std::array<double, width> im;
    };

    void choose_weight(std::uint64_t seed);
    void choose_bins(std::uint64_t seed);
    void make_tables();
    /// S_r for r from 0 to D - 1 as far as these elements make it up, added to `sums`.
    void add_residues(const Row& x, std::size_t pass, const Stretch& stretch,
                      std::span<ComplexSum> sums) const;
    /// The bins of all passes from all S_r.
    [[nodiscard]] std::vector<std::complex<double>> bins_of(
        std::span<const std::complex<double>> residues) const;
    [[nodiscard]] bench::Check compare(std::span<const std::complex<double>> found) const;

    /// exp(2 pi i (2 g + 1) k / (2 N)).
    [[nodiscard]] std::complex<double> weight(std::int64_t k) const;
    /// sum_j x_j (1 - i cot(pi (n_j - g - 1/2) / N)) over n_j = first + j step.
    [[nodiscard]] std::complex<double> series(const Row& x, std::int64_t first,
                                              std::int64_t count) const;

    std::int64_t points_;
    IndexOrder input_;
    IndexOrder output_;
    int threads_;
    const comm::Communicator& world_;
    RootsOfUnity roots_;                   ///< of order N
    RootsOfUnity half_roots_;              ///< of order 2 N
    std::uint64_t odd_ = 1;                ///< 2 g + 1
    std::int64_t bins_of_pass_;            ///< D
    std::vector<std::int64_t> seeded_;     ///< k by pass
    std::vector<std::int64_t> positions_;  ///< of the bins in this rank's output, -1: elsewhere
    std::vector<Row>
        twiddles_;  ///< by pass: exp(-2 pi i k j step / N), step of the input's columns
    Row angles_;    ///< cos and sin of pi j step / N
    Row weights_;   ///< of column j of the output, of that of column 0

    double norm_ = 0;  ///< |x|
    std::complex<double> expected_checksum_;
    std::vector<std::complex<double>> expected_bins_;
};

}  // namespace quartet::fft

#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "core/data_source.hpp"

namespace quartet::fft {

/// One pass of a Fourier transform over several passes (Cooley and Tukey, 1965): many transforms of
/// 64 to 4096 points, each of which a thread block holds in registers and shared memory. A pass
/// reads and writes each point once, so a transform of two passes moves 64 bytes a point.

/// The layout of a tile's 2^log_width adjacent transforms, and the factors of its points.
enum class FftLines {
    columns,              ///< columns, without factors
    columns_of_one_row,   ///< columns with the same factors
    columns_of_own_rows,  ///< columns, each with factors of its own
    rows                  ///< rows, each with factors of its own; the results become columns
};

struct FftPassShape {
    FftLines lines = FftLines::columns;
    int log_length = 0;
    int log_width = 0;

    friend bool operator==(const FftPassShape&, const FftPassShape&) = default;
};

/// Strides, in points: between tiles whose numbers differ by one in the lower digit or in the
/// higher digit, and between neighbours in a column, or between rows.
struct FftSteps {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t point = 0;
};

/// The tile number high 2^low_bits + low has point n of its transform c at
///
///     from + low read.low + high read.high + n read.point + c  (columns)
///     from + low read.low + high read.high + c read.point + n  (rows)
///
/// and result k goes to `to` + low write.low + high write.high + k write.point + c. Point n is
/// multiplied by exp(-2 pi i r n / 2^(log_order + log_length)) before, where r is first_row + high
/// row_step, and low 2^log_width + c more where each has factors of its own.
///
/// Example: 2^20 points in natural order. The first pass transforms the columns of a matrix of 1024
/// rows of 1024 points, in place of which it leaves row k1. The second one transforms the rows,
/// with r = k1 and log_order = 10, and writes result k2 of row k1 to k1 + 1024 k2.
struct FftPass {
    const double2* from = nullptr;
    double2* to = nullptr;
    const double2* roots = nullptr;  ///< entry 2^m + j is exp(-2 pi i j / 2^m), up to m = 12
    FftSteps read;
    FftSteps write;
    std::int64_t tiles = 0;  ///< below 2^31
    int low_bits = 0;
    int log_order = 0;  ///< log_order + log_length is at most 32
    std::int64_t first_row = 0;
    std::int64_t row_step = 0;
};

/// The longest transform of a pass, and what a block has of points: more than 200 KB of shared
/// memory, which need a Hopper GPU or a later one.
inline constexpr int most_fft_pass_bits = 12;
inline constexpr int fft_tile_bits = 13;
inline constexpr std::int64_t fft_root_entries = std::int64_t{2} << most_fft_pass_bits;

/// The width that reads the longest runs of memory.
constexpr int widest_fft_pass(int log_length) {
    return log_length > fft_tile_bits - 4 ? fft_tile_bits - log_length : 4;
}

/// Launches a pass after the kernel before it in the stream, whose end it may overlap. `to` may be
/// `from` where each tile is written where it was read. `multiprocessors` are the GPU's. Nothing
/// happens for shapes that have no kernel.
void launch_fft_pass(const FftPassShape& shape, const FftPass& pass, int multiprocessors,
                     cudaStream_t stream);

bool has_fft_pass(const FftPassShape& shape);

/// Whether the current GPU has the shared memory that passes take.
bool has_fft_passes();

cudaError_t load_fft_pass_kernels();

/// How transforms of powers of two become passes. All lengths are given by their logarithms.

/// Passes of one lane follow one another, after all those without a lane. Two lanes run beside each
/// other, so that the end of one's pass leaves no multiprocessor idle.
using LaunchPass =
    std::function<void(const FftPassShape&, const FftPass&, std::optional<int> lane)>;
inline constexpr int fft_lanes = 2;

/// 2^20 to 2^30 points as N1 N2 N3, in natural order: with n = n1 N2 N3 + n2 N3 + n3 the first pass
/// leaves [k1][n2][n3], the second one [k1][k2][n3], and the last one writes k1 + N1 k2 + N1 N2 k3.
/// Up to 2^23 two passes do, with N2 = 1.
///
/// Where chunk is below `first`, the last two passes do 2^chunk rows k1 at a time, a chunk in each
/// lane, by way of a scratch area that stays in the L2 cache.
struct FftSplit {
    int first = 0;
    int middle = 0;
    int last = 0;
    int chunk = 0;

    [[nodiscard]] int points() const { return first + middle + last; }
    [[nodiscard]] bool in_chunks() const { return chunk < first; }
    /// Points of FftBuffers::work, and of the scratch area.
    [[nodiscard]] std::int64_t work() const { return std::int64_t{1} << points(); }
    [[nodiscard]] std::int64_t scratch() const {
        return in_chunks() ? std::int64_t{fft_lanes} << (chunk + middle + last) : 0;
    }
};
/// Nothing for sizes that cannot be split so. `cache_bytes` is the size of the L2 cache.
std::optional<FftSplit> split_fft(std::int64_t points, std::int64_t cache_bytes);

struct FftBuffers {
    const double2* from = nullptr;
    double2* work = nullptr;
    double2* scratch = nullptr;
    double2* to = nullptr;  ///< may be `from`; of columns it is
    const double2* roots = nullptr;
};
void for_each_pass(const FftSplit& split, const FftBuffers& buffers, const LaunchPass& launch);

/// The transforms over the 2^tiles rows of a matrix with 2^columns columns, in place. Element (t,
/// j) is multiplied by exp(-2 pi i t j / (all elements)) before: the last step of a transform in
/// tiles. Up to 2^12 tiles take one pass; more take two, over 2^chunk columns at a time, a chunk
/// in each lane, by way of a scratch area that stays in the L2 cache.
struct ColumnSplit {
    int columns = 0;
    int first = 0;   ///< of the tiles
    int second = 0;  ///< 0 for one pass
    int chunk = 0;

    [[nodiscard]] std::int64_t work() const { return 0; }
    [[nodiscard]] std::int64_t scratch() const {
        return second > 0 ? std::int64_t{fft_lanes} << (chunk + first + second) : 0;
    }
};
std::optional<ColumnSplit> split_columns(std::int64_t tiles, std::int64_t columns,
                                         std::int64_t cache_bytes);
void for_each_pass(const ColumnSplit& split, const FftBuffers& buffers, const LaunchPass& launch);

/// The four-step FFT (four_step.hpp). Points are pairs of doubles in the GPU's memory.

/// Bins of one SIMD block.
inline constexpr std::int64_t fft_block_bins = 8;

/// The offset of the real part of a bin within a part [block][tile][8 re | 8 im]; the imaginary
/// part lies fft_block_bins further. `bin` counts from the receiver's first k1, `tile` from the
/// sender's first tile.
constexpr std::int64_t offset_in_part(std::int64_t bin, std::int64_t tile, std::int64_t tiles) {
    return (bin / fft_block_bins * tiles + tile) * 2 * fft_block_bins + bin % fft_block_bins;
}

/// Two tables of powers of exp(-2 pi i / N): each power is a coarse entry times a fine one.
struct Twiddles {
    const double2* coarse;  ///< [((N - 1) >> shift) + 1]: powers of multiples of 2^shift
    const double2* fine;    ///< [2^shift]
    int shift;
};

/// The shift for tables of about the same size.
constexpr int twiddle_shift(std::int64_t order) {
    int shift = 0;
    while (shift < 31 && (std::int64_t{1} << (2 * shift)) < order)
        ++shift;
    return shift;
}

/// A batch of transformed tiles, and a receiver's bins of them.
struct PackShape {
    std::int64_t tiles;       ///< that have been transformed
    std::int64_t length;      ///< M
    std::int64_t first_tile;  ///< the number t of the first of them
    std::int64_t first_slot;  ///< the position of that tile among the sender's
    std::int64_t part_tiles;  ///< the sender's tiles, all of them
    std::int64_t first_bin;   ///< k1 of the receiver's first bin
    std::int64_t bins;        ///< the receiver's
};

/// part = the bins of the receiver, each times w_N^(t k1).
void launch_pack(const PackShape& shape, const Twiddles& twiddles, const double2* transformed,
                 double* part, cudaStream_t stream);

/// Some bins' points of the tiles of one sender.
struct UnpackShape {
    std::int64_t first_bin;  ///< counted from this rank's first; begins a SIMD block
    std::int64_t bins;
    std::int64_t first_tile;  ///< t of the sender's first
    std::int64_t part_tiles;  ///< the sender's
    std::int64_t tiles;       ///< T
};

/// columns[bin][t] of the sender's tiles. `part` begins on 16 bytes.
void launch_unpack(const UnpackShape& shape, const double* part, double2* columns,
                   cudaStream_t stream);

/// target[row][first_column + column] = source[column][row]: `columns` columns of `rows` each, into
/// rows that are `stride` long.
struct TransposeShape {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t first_column;
    std::int64_t stride;
};
void launch_transpose(const TransposeShape& shape, const double2* source, double2* target,
                      cudaStream_t stream);

/// Copies `count` transposed bins of one sender, beginning with its bin number `before`, to their
/// positions in natural order, counted from bin `first_bin`.
struct NaturalOrderShape {
    std::int64_t first_column;  ///< the sender's k1
    std::int64_t columns;
    std::int64_t length;  ///< M
    std::int64_t before;
    std::int64_t count;
    std::int64_t first_bin;
};
void launch_natural_order(const NaturalOrderShape& shape, const double2* part, double2* bins,
                          cudaStream_t stream);

/// bins[t][k1] times w_N^(t k1), in place, for all tiles of M = `length` points.
void launch_twiddles(std::int64_t tiles, std::int64_t length, const Twiddles& twiddles,
                     double2* bins, cudaStream_t stream);

cudaError_t load_four_step_kernels();

/// Random points as they lie in interleaved tiles, x[0::tiles], x[1::tiles] and so on, each of
/// `length` points; `first` of them come before. The bits of DataSource::fill_centred().
struct RandomTiles {
    DataSource source;
    std::int64_t tiles = 1;
    std::int64_t length = 1;
    std::int64_t first = 0;
};
void launch_random_points(const RandomTiles& tiles, double2* target, std::int64_t size,
                          cudaStream_t stream);

cudaError_t load_random_kernels();

}  // namespace quartet::fft

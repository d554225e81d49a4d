#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace quartet::device {

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

}  // namespace quartet::device

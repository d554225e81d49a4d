#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cuda/fft/four_step_index.hpp"

namespace quartet::device {

/// Kernel launches of the four-step FFT; points are pairs of doubles in the GPU's memory.

/// Tables of the powers of exp(-2 pi i / N).
struct Twiddles {
    const double2* coarse;
    const double2* fine;
    TwiddleSplit split;
};

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
    TransposedColumns columns;
    std::int64_t before;
    std::int64_t count;
    std::int64_t first_bin;
};
void launch_natural_order(const NaturalOrderShape& shape, const double2* part, double2* bins,
                          cudaStream_t stream);

/// bins[t][k1] times w_N^(t k1), in place, for all tiles.
struct TwiddleShape {
    std::int64_t tiles;
    std::int64_t length;  ///< M
};
void launch_twiddles(const TwiddleShape& shape, const Twiddles& twiddles, double2* bins,
                     cudaStream_t stream);

cudaError_t load_four_step_kernels();

}  // namespace quartet::device

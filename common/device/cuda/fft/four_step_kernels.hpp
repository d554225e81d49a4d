#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cuda/fft/four_step_index.hpp"

namespace quartet::device {

/// Launches of the passes of a split transform; points are pairs of doubles in the GPU's memory.

/// Tables of the powers of exp(-2 pi i / N).
struct RootTables {
    const double2* coarse;
    const double2* fine;
    RootSplit split;
};

/// Transformed tiles and where a receiver's part of them goes.
struct PackShape {
    std::int64_t tiles;       ///< that have been transformed
    std::int64_t length;      ///< M
    std::int64_t first_tile;  ///< the number t of the first of them
    std::int64_t place;       ///< of the first of them among the sender's tiles
    std::int64_t part_tiles;  ///< the sender's tiles, all of them
    std::int64_t first_bin;   ///< k1 of the receiver's first bin
    std::int64_t bins;        ///< the receiver's
};

/// part = the bins of the receiver, each times w_N^(t k1).
void launch_pack(const PackShape& shape, const RootTables& roots, const double2* transformed,
                 double* part, cudaStream_t stream);

/// Some bins' points of the tiles of one sender.
struct UnpackShape {
    std::int64_t first_bin;  ///< counted from this rank's first
    std::int64_t bins;
    std::int64_t first_tile;  ///< t of the sender's first
    std::int64_t part_tiles;  ///< the sender's
    std::int64_t tiles;       ///< T
};

/// columns[bin][t] of the sender's tiles.
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

/// Puts `count` transposed bins of one sender, from number `before` of its on, in the place that
/// they have in natural order, counted from bin `first_bin`.
struct NaturalShape {
    TransposedColumns columns;
    std::int64_t before;
    std::int64_t count;
    std::int64_t first_bin;
};
void launch_natural(const NaturalShape& shape, const double2* part, double2* bins,
                    cudaStream_t stream);

/// bins[t][k1] times w_N^(t k1), in place, for all tiles.
struct FactorShape {
    std::int64_t tiles;
    std::int64_t length;  ///< M
};
void launch_factors(const FactorShape& shape, const RootTables& roots, double2* bins,
                    cudaStream_t stream);

/// One tile's cells, each bin times w_N^(t k1), into the cells of all `tiles`.
struct PlaceShape {
    std::int64_t tile;
    std::int64_t tiles;
    std::int64_t length;
};
void launch_place(const PlaceShape& shape, const RootTables& roots, const double* cells,
                  double* parts, cudaStream_t stream);

}  // namespace quartet::device

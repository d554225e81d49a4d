#pragma once

#include <cuda_runtime.h>

#include "device/cuda/blas/gemv_kernel.hpp"
#include "device/cuda/matrix/classic_iteration.hpp"

namespace quartet::device {

/// Columns of a row that a warp multiplies before it goes on to another row: their elements of p
/// take 32 KiB of a block's shared memory, whatever the matrix.
inline constexpr std::int64_t rows_chunk_columns = 4096;

/// A block of rows in the GPU's memory, and what a product leaves: a sum for each row in each chunk
/// of columns, [chunk][row], and p.Ap of each block of threads. Blocks share out the rows of a
/// chunk, chunk after chunk.
struct RowsOnGpu {
    RowMajorMatrix matrix;   ///< rows begin on 16 bytes
    std::int64_t first_row;  ///< of the whole matrix
    int kept;                ///< of 64 rows: how many the L2 cache keeps from product to product
    std::int64_t blocks;
    double* sums;
    double* curvature;
};

/// Blocks that a GPU runs at once.
inline constexpr std::int64_t rows_blocks_of_multiprocessor = 2;

constexpr std::int64_t rows_chunks(std::int64_t columns) {
    return (columns + rows_chunk_columns - 1) / rows_chunk_columns;
}

/// The rows times the direction, chunk by chunk.
void launch_rows_product(const RowsOnGpu& rows, const DirectionOnGpu& direction,
                         cudaStream_t stream);
/// y = the product, and its p.Ap if there is a `result`.
void launch_rows_sums(const RowsOnGpu& rows, double* y, double* result, cudaStream_t stream);
/// The update after a product.
void launch_rows_update(const RowsOnGpu& rows, const UpdateOnGpu& update, cudaStream_t stream);

/// The update after a product that has been added up.
void launch_vector_update(const double* product, const UpdateOnGpu& update, cudaStream_t stream);
/// p = r + beta p after the last update, whose r.r goes to scalars.sum and the history.
void launch_last_direction(const DirectionOnGpu& direction, double* p, std::int64_t size,
                           cudaStream_t stream);

cudaError_t load_rows_kernels();

}  // namespace quartet::device

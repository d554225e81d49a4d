#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "cg/matrix.hpp"
#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"

namespace quartet::cg {

using device::between;
using device::block_threads;
using device::most_sum_blocks;

/// A part of a triangle on a GPU: panels of 128 rows, dealt in snake order (SnakeDistribution).
/// Panel p has the columns from 128 p on, row by row, padded to a multiple of 128, and so whole
/// tiles of 128 x 128. The tile on the diagonal is stored whole; what lies beyond the matrix is
/// zero.
///
/// A product shares out the part's tiles, panel after panel and from left to right, over blocks of
/// threads: each has the same number of neighbours, one more or less. A tile leaves 128 sums over
/// its columns; a block leaves 2 x 128 sums over the rows of each panel that it has tiles of, one
/// for each half of the columns. Each is at most two percent of what is read. The kernels that need
/// the product add them up in a fixed order. Smaller tiles would leave more sums; larger ones could
/// not be shared out evenly at N = 4096, where an H100 has room for 528 blocks and the triangle has
/// 528 tiles.

inline constexpr std::int64_t triangle_tile = 128;

/// A panel of the part.
struct TrianglePanel {
    std::int64_t first_row;   ///< and column
    std::int64_t offset;      ///< of its elements in the part
    std::int64_t stride;      ///< from row to row
    std::int64_t first_tile;  ///< number of its tile on the diagonal among the part's tiles
};

/// What a block of threads begins with; it ends where the next one begins.
struct TriangleBlock {
    std::int64_t first_tile;
    std::int64_t panel;  ///< of the part
};

/// The layout of a part, as the kernels and the host need it.
struct TriangleLayout {
    std::int64_t size = 0;
    std::int64_t elements = 0;
    std::int64_t tiles = 0;
    std::vector<TrianglePanel> panels;  ///< and one more, which begins where they end
    std::vector<TriangleBlock> blocks;  ///< and one more, which begins where they end
    /// By panel of the matrix: how many panels of the part lie above it.
    std::vector<std::int64_t> panels_above;

    /// For at most that many blocks of threads.
    TriangleLayout(const TrianglePart& part, std::int64_t at_most);

    [[nodiscard]] std::int64_t panel_count() const { return std::ssize(panels) - 1; }
    [[nodiscard]] std::int64_t block_count() const { return std::ssize(blocks) - 1; }
    /// How many sums over columns and rows a product leaves.
    [[nodiscard]] std::int64_t sums() const {
        return (tiles + 2 * (block_count() + panel_count())) * triangle_tile;
    }
};

/// The block that has a tile, where `tiles` are shared out over `blocks`: block b begins with tile
/// tiles b / blocks.
constexpr std::int64_t block_of_tile(std::int64_t tile, std::int64_t tiles, std::int64_t blocks) {
    return ((tile + 1) * blocks - 1) / tiles;
}

/// The scalars of conjugate gradients, kept in the GPU's memory beside the vectors, so that the CPU
/// waits for none of them.
struct CgScalars {
    double sum = 0;           ///< r.r after the last update
    double residual_dot = 0;  ///< r.r before the update
    double alpha = 0;         ///< of the last iteration, x += alpha p; 0: the next p is r
    double beta = 0;          ///< of the last iteration, p = r + beta p
    std::int64_t done = 0;    ///< iterations
    /// The first iteration whose scalars show a matrix that is not positive definite, and those
    /// scalars; -1: none. From it on alpha is 0.
    std::int64_t failed_at = -1;
    double failed_residual_dot = 0;
    double failed_curvature = 0;
};

/// One iteration of classic conjugate gradients is two kernels, a product and an update. Each block
/// of one leaves a partial sum, and each block of the other adds all of them, in the same order, so
/// that all have the same bits and none waits for another. Pointers into the GPU's memory.
///
/// The scalars: a product reads those of the last update, and writes `sum` (r.r), `beta` and the
/// history; an update reads these, and block 0 writes the others. So no kernel reads what it
/// writes.

/// The partial sums that the blocks of a kernel leave.
struct PartialSums {
    double* sums;
    std::int64_t count;
};

/// What a product multiplies: r + beta p; or p as it is where there are no scalars, and any r that
/// can be read.
struct DirectionOnGpu {
    const double* p;
    const double* r;
    PartialSums residual_dot;  ///< of r
    CgScalars* scalars;
    double* history;
};

/// Which p an update adds to x.
enum class UpdatedDirection {
    as_it_is,
    next,  ///< r + beta p, as the product had it: kept in its place
};

/// What an update does to elements [0, size): x += alpha p, r -= alpha A p.
struct UpdateOnGpu {
    std::int64_t size;
    double* p;
    double* x;
    double* r;
    double* residual_sums;  ///< one for each of update_blocks(size) blocks
    double alpha;           ///< where there are no scalars
    PartialSums curvature;  ///< p.Ap, where there are scalars
    CgScalars* scalars;
    UpdatedDirection direction;
};

/// Elements that a block of an update works on at once: one warp's, so that the others can help
/// with the sums of a product.
inline constexpr std::int64_t update_elements = 32;

constexpr std::int64_t update_blocks(std::int64_t size) {
    return between(divide_up(size, update_elements), 0, most_sum_blocks);
}

/// Columns of a row that a warp multiplies before it goes on to another row: their elements of p
/// take 32 KiB of a block's shared memory, whatever the matrix.
inline constexpr std::int64_t rows_chunk_columns = 4096;

/// A block of rows in the GPU's memory, and what a product leaves: a sum for each row in each chunk
/// of columns, [chunk][row], and p.Ap of each block of threads. Blocks share out the rows of a
/// chunk, chunk after chunk.
struct RowsOnGpu {
    device::RowMajorMatrix matrix;  ///< rows begin on 16 bytes
    std::int64_t first_row;         ///< of the whole matrix
    int kept;  ///< of 64 rows: how many the L2 cache keeps from product to product
    std::int64_t blocks;
    double* sums;
    double* curvature;
};

/// Blocks that a GPU runs at once.
inline constexpr std::int64_t rows_blocks_of_multiprocessor = 2;

constexpr std::int64_t rows_chunks(std::int64_t columns) {
    return (columns + rows_chunk_columns - 1) / rows_chunk_columns;
}

/// A part of a triangle in the GPU's memory (TriangleLayout); a product leaves its sums over
/// columns and rows in `sums`, and p.Ap of each block in `curvature`.
struct TriangleOnGpu {
    std::int64_t size;
    std::int64_t tiles;
    std::int64_t blocks;
    int kept;  ///< of 64 tiles: how many the L2 cache keeps from product to product
    const double* elements;
    const TrianglePanel* panels;
    const TriangleBlock* work;
    const std::int64_t* panels_above;
    double* sums;
    double* curvature;
};

/// Blocks that a GPU runs at once: the most that a layout should have.
inline constexpr std::int64_t triangle_blocks_of_multiprocessor = 4;

/// The matrix (of a triangle with its mirror image) times the direction, as sums in parts.
void launch_product(const RowsOnGpu& rows, const DirectionOnGpu& direction, cudaStream_t stream);
void launch_product(const TriangleOnGpu& triangle, const DirectionOnGpu& direction,
                    cudaStream_t stream);
/// y = the product, and its p.Ap if there is a `result`. No atomics: each sum has one order.
void launch_sums(const RowsOnGpu& rows, double* y, double* result, cudaStream_t stream);
void launch_sums(const TriangleOnGpu& triangle, double* y, double* result, cudaStream_t stream);
/// The update after a product.
void launch_update(const RowsOnGpu& rows, const UpdateOnGpu& update, cudaStream_t stream);
void launch_update(const TriangleOnGpu& triangle, const UpdateOnGpu& update, cudaStream_t stream);

/// The update after a product that has been added up.
void launch_vector_update(const double* product, const UpdateOnGpu& update, cudaStream_t stream);
/// p = r + beta p after the last update, whose r.r goes to scalars.sum and the history.
void launch_last_direction(const DirectionOnGpu& direction, double* p, std::int64_t size,
                           cudaStream_t stream);

/// Load all kernels of this header (loaded_kernels.hpp).
cudaError_t load_rows_kernels();
cudaError_t load_triangle_kernels();

}  // namespace quartet::cg

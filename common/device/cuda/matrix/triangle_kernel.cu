#include "device/cuda/matrix/block_sum.cuh"
#include "device/cuda/matrix/triangle_kernel.hpp"

namespace quartet::device {

namespace {

constexpr int warp_threads = 32;
constexpr int warps = block_threads / warp_threads;
// Two neighbours of each of two halves of a tile's columns.
constexpr int pairs = 2;
static_assert(pairs * 2 * block_threads == tile_columns);

/// The sum over a warp, in its first thread.
__device__ double warp_sum(double value) {
    for (int offset = warp_threads / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

/// A thread's part of a tile: pairs of columns, the elements of x there, and the columns' sums.
struct Columns {
    std::int64_t first[pairs];
    double2 of_x[pairs];
    double2 sums[pairs];
};

__device__ Columns columns_of(const TriangleTile& tile, const double* x, std::int64_t size) {
    Columns columns{};
    for (int pair = 0; pair < pairs; ++pair) {
        const std::int64_t column =
            tile.chunk * tile_columns + 2 * (pair * block_threads + static_cast<int>(threadIdx.x));
        columns.first[pair] = column;
        columns.of_x[pair] = {column < size ? x[column] : 0.0,
                              column + 1 < size ? x[column + 1] : 0.0};
    }
    return columns;
}

/// Goes through one row of a panel: adds to the sums of the thread's columns what `factor`, x at
/// the row, makes of its elements (but for the block on the diagonal, which is stored whole), and
/// returns the thread's share of the sum over the row.
__device__ double add_row(const double* row, const TrianglePanel& panel, double factor,
                          Columns& columns) {
    double sum = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        const std::int64_t place = columns.first[pair] - panel.first_row;
        if (place < 0 || place >= panel.stride)
            continue;
        const double2 value = __ldcs(reinterpret_cast<const double2*>(row + place));
        sum += value.x * columns.of_x[pair].x;
        sum += value.y * columns.of_x[pair].y;
        if (place >= triangle_panel_rows) {
            columns.sums[pair].x += value.x * factor;
            columns.sums[pair].y += value.y * factor;
        }
    }
    return sum;
}

/// The sums of one tile over its rows and columns.
__global__ void __launch_bounds__(block_threads)
    multiply_tiles(TriangleOnGpu triangle, const double* x) {
    __shared__ double factors[tile_rows];
    __shared__ double row_sums[warps][tile_rows];
    const TriangleTile tile = triangle.tiles[blockIdx.x];
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < tile_rows; i += block_threads) {
        const std::int64_t panel = i / triangle_panel_rows;
        const std::int64_t row =
            panel < tile.panels
                ? triangle.panels[tile.first_panel + panel].first_row + i % triangle_panel_rows
                : triangle.size;
        factors[i] = row < triangle.size ? x[row] : 0.0;
    }
    __syncthreads();
    Columns columns = columns_of(tile, x, triangle.size);
    for (std::int64_t i = 0; i < tile.panels; ++i) {
        const TrianglePanel panel = triangle.panels[tile.first_panel + i];
        const double* elements = triangle.elements + panel.offset;
#pragma unroll 4
        for (int r = 0; r < triangle_panel_rows; ++r) {
            const int row = static_cast<int>(i) * static_cast<int>(triangle_panel_rows) + r;
            const double sum =
                warp_sum(add_row(elements + r * panel.stride, panel, factors[row], columns));
            if (thread % warp_threads == 0)
                row_sums[thread / warp_threads][row] = sum;
        }
    }
    __syncthreads();
    double* out = triangle.sums + blockIdx.x * tile_sums;
    for (int row = thread; row < tile.panels * triangle_panel_rows; row += block_threads) {
        double sum = 0;
        for (int warp = 0; warp < warps; ++warp)
            sum += row_sums[warp][row];
        out[row] = sum;
    }
    auto* out_columns = reinterpret_cast<double2*>(out + tile_rows);
    for (int pair = 0; pair < pairs; ++pair)
        out_columns[pair * block_threads + thread] = columns.sums[pair];
}

/// y[i]: the row's sums by tiles, from left to right, then the column's, from top to bottom.
__global__ void __launch_bounds__(block_threads) add_tiles(TriangleOnGpu triangle, double* y) {
    const std::int64_t i = grid_thread();
    if (i >= triangle.size)
        return;
    const std::int64_t chunk = i / tile_columns;
    double sum = 0;
    const std::int64_t panel = triangle.panel_of[i / triangle_panel_rows];
    if (panel >= 0) {
        const std::int64_t tile_row = panel / tile_panels;
        const std::int64_t end = tile_row + 1 < triangle.tile_row_count
                                     ? triangle.tile_rows[tile_row + 1].first_tile
                                     : triangle.tile_count;
        const std::int64_t row =
            panel % tile_panels * triangle_panel_rows + i % triangle_panel_rows;
        for (std::int64_t tile = triangle.tile_rows[tile_row].first_tile; tile < end; ++tile)
            sum += triangle.sums[tile * tile_sums + row];
    }
    for (std::int64_t tile_row = 0; tile_row < triangle.tile_row_count; ++tile_row) {
        const TileRow tiles = triangle.tile_rows[tile_row];
        if (tiles.first_chunk > chunk)
            break;  // these panels begin further to the right, as do all after them
        const std::int64_t tile = tiles.first_tile + chunk - tiles.first_chunk;
        sum += triangle.sums[tile * tile_sums + tile_rows + i % tile_columns];
    }
    y[i] = sum;
}

}  // namespace

void launch_triangle_product(const TriangleOnGpu& triangle, const double* x, double* y,
                             cudaStream_t stream) {
    if (triangle.size == 0)
        return;
    if (triangle.tile_count > 0)
        multiply_tiles<<<static_cast<unsigned>(triangle.tile_count), block_threads, 0, stream>>>(
            triangle, x);
    const std::int64_t blocks = divide_up(triangle.size, block_threads);
    add_tiles<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(triangle, y);
}

}  // namespace quartet::device

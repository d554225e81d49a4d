#include "device/cuda/matrix/triangle_kernel.hpp"
#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "device/cuda/runtime/warp_sums.cuh"

namespace quartet::device {

namespace {

constexpr int warp_threads = 32;
constexpr int warps = block_threads / warp_threads;
// Two neighbours of each of two halves of a tile's columns.
constexpr int pairs = 2;
static_assert(pairs * 2 * block_threads == tile_columns);
// Rows whose elements are under way at once.
constexpr int batch = 4;
static_assert(triangle_panel_rows % batch == 0);

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

/// Where a thread's pairs are in the rows of a panel. What is not stored there is read elsewhere in
/// the row, and counts as zero: loads that hang on conditions would wait for one another.
struct PanelPairs {
    std::int64_t place[pairs];
    bool stored[pairs];
    bool mirrored[pairs];  ///< not so the block on the diagonal, which is stored whole
};

__device__ PanelPairs pairs_of(const TrianglePanel& panel, const Columns& columns) {
    PanelPairs found{};
    for (int pair = 0; pair < pairs; ++pair) {
        const std::int64_t place = columns.first[pair] - panel.first_row;
        found.place[pair] = between(place, 0, panel.stride - 2);
        found.stored[pair] = place >= 0 && place < panel.stride;
        found.mirrored[pair] = found.stored[pair] && place >= triangle_panel_rows;
    }
    return found;
}

/// Adds to the sums of the thread's columns what `factor`, x at the row, makes of the elements of a
/// row, and returns the thread's share of the sum over the row.
__device__ double add_row(const double2 (&values)[pairs], const PanelPairs& panel, double factor,
                          Columns& columns) {
    double sum = 0;
#pragma unroll
    for (int pair = 0; pair < pairs; ++pair) {
        if (panel.stored[pair]) {
            sum += values[pair].x * columns.of_x[pair].x;
            sum += values[pair].y * columns.of_x[pair].y;
        }
        if (panel.mirrored[pair]) {
            columns.sums[pair].x += values[pair].x * factor;
            columns.sums[pair].y += values[pair].y * factor;
        }
    }
    return sum;
}

/// Goes through the rows of a panel; a warp's sums over them go to `row_sums`.
__device__ void add_panel(const double* elements, const TrianglePanel& panel, const double* factors,
                          Columns& columns, double* row_sums) {
    const PanelPairs of_panel = pairs_of(panel, columns);
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
#pragma unroll 1
    for (int first = 0; first < triangle_panel_rows; first += batch) {
        double2 values[batch][pairs];
#pragma unroll
        for (int row = 0; row < batch; ++row)
#pragma unroll
            for (int pair = 0; pair < pairs; ++pair)
                values[row][pair] = __ldcs(reinterpret_cast<const double2*>(
                    elements + (first + row) * panel.stride + of_panel.place[pair]));
        double sums[batch];
#pragma unroll
        for (int row = 0; row < batch; ++row)
            sums[row] = add_row(values[row], of_panel, factors[first + row], columns);
        const double sum = warp_sums(sums);
        if (lane % 8 == 0)
            row_sums[first + lane / 8] = sum;
    }
}

/// The sums of one tile over its rows and columns.
__global__ void __launch_bounds__(block_threads, 3)
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
        const int row = static_cast<int>(i) * static_cast<int>(triangle_panel_rows);
        add_panel(elements, panel, factors + row, columns, row_sums[thread / warp_threads] + row);
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

/// y[i]: the row's sums by tiles and the column's. Warps share out the tiles of 32 neighbours; each
/// adds those of the row from left to right, then those of the column from top to bottom.
__global__ void __launch_bounds__(block_threads) add_tiles(TriangleOnGpu triangle, double* y) {
    __shared__ double of_warps[warps][warp_threads];
    const int lane = static_cast<int>(threadIdx.x) % warp_threads;
    const int warp = static_cast<int>(threadIdx.x) / warp_threads;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * warp_threads + lane;
    double sum = 0;
    const std::int64_t panel = i < triangle.size ? triangle.panel_of[i / triangle_panel_rows] : -1;
    if (panel >= 0) {
        const std::int64_t tile_row = panel / tile_panels;
        const std::int64_t end = tile_row + 1 < triangle.tile_row_count
                                     ? triangle.tile_rows[tile_row + 1].first_tile
                                     : triangle.tile_count;
        const std::int64_t row =
            panel % tile_panels * triangle_panel_rows + i % triangle_panel_rows;
#pragma unroll 8
        for (std::int64_t tile = triangle.tile_rows[tile_row].first_tile + warp; tile < end;
             tile += warps)
            sum += triangle.sums[tile * tile_sums + row];
    }
    const std::int64_t chunk = i / tile_columns;
    const std::int64_t end = i < triangle.size ? triangle.tile_rows_of_chunk[chunk] : 0;
#pragma unroll 8
    for (std::int64_t tile_row = warp; tile_row < end; tile_row += warps) {
        const TileRow tiles = triangle.tile_rows[tile_row];
        const std::int64_t tile = tiles.first_tile + chunk - tiles.first_chunk;
        sum += triangle.sums[tile * tile_sums + tile_rows + i % tile_columns];
    }
    of_warps[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || i >= triangle.size)
        return;
    for (int other = 1; other < warps; ++other)
        sum += of_warps[other][lane];
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
    const std::int64_t blocks = divide_up(triangle.size, warp_threads);
    add_tiles<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(triangle, y);
}

cudaError_t load_triangle_kernels() {
    return loaded(multiply_tiles, add_tiles);
}

}  // namespace quartet::device

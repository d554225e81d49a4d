#include "cg/cuda/iteration.cuh"
#include "device/cuda/runtime/instructions.cuh"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "device/cuda/runtime/warp_sums.cuh"

namespace quartet::cg {

namespace {

using device::block_sum;
using device::bring_to_l2;
using device::warp_sums;

constexpr int edge = static_cast<int>(triangle_tile);
constexpr int warps = block_threads / 32;
// A warp has 32 rows of one half of a tile's columns: two neighbours for each thread.
constexpr int halves = 2;
constexpr int half = edge / halves;
constexpr int rows_of_warp = edge * halves / warps;
static_assert(rows_of_warp == 32 && half == 64);
// Rows whose elements are under way at once.
constexpr int batch = 4;
// Rows of a warp's first tile that are brought to the L2 cache while it waits for p.
constexpr int rows_ahead = 16;

__device__ int lane_of_thread() {
    return static_cast<int>(threadIdx.x) % 32;
}
__device__ int warp_of_thread() {
    return static_cast<int>(threadIdx.x) / 32;
}
__device__ int first_row_of_warp() {
    return warp_of_thread() / halves * rows_of_warp;
}
/// The first of the thread's columns in a tile.
__device__ int column_of_thread() {
    return warp_of_thread() % halves * half + 2 * lane_of_thread();
}

/// Where a thread is in the part. What else it needs of a panel it reads again: registers are
/// scarce.
struct Place {
    const double* row;  ///< the first one of its warp in the tile, at its first column
    int stride;
    int tile;
    int panel;  ///< of the part

    __device__ Place(const TriangleOnGpu& triangle, const TriangleBlock& begin)
        : tile(static_cast<int>(begin.first_tile)) {
        begin_panel(triangle, static_cast<int>(begin.panel));
        row += (tile - static_cast<int>(triangle.panels[panel].first_tile)) * edge;
    }
    __device__ void begin_panel(const TriangleOnGpu& triangle, int number) {
        const TrianglePanel begun = triangle.panels[number];
        panel = number;
        stride = static_cast<int>(begun.stride);
        row = triangle.elements + begun.offset + std::int64_t{first_row_of_warp()} * stride +
              column_of_thread();
    }
    __device__ void advance(const TriangleOnGpu& triangle) {
        if (++tile == static_cast<int>(triangle.panels[panel + 1].first_tile))
            begin_panel(triangle, panel + 1);
        else
            row += edge;
    }
    __device__ int first_row(const TriangleOnGpu& triangle) const {
        return static_cast<int>(triangle.panels[panel].first_row);
    }
    /// How many tiles lie between this one and the diagonal.
    __device__ int tiles_before(const TriangleOnGpu& triangle) const {
        return tile - static_cast<int>(triangle.panels[panel].first_tile);
    }
    /// Whether the tile stays in the L2 cache.
    __device__ bool kept(const TriangleOnGpu& triangle) const { return tile % 64 < triangle.kept; }
    __device__ int column(const TriangleOnGpu& triangle) const {
        return first_row(triangle) + tiles_before(triangle) * edge;
    }
};

__device__ void load(const double* first, int stride, bool kept, double2 (&elements)[batch]) {
    if (kept) {
#pragma unroll
        for (int row = 0; row < batch; ++row)
            elements[row] =
                __ldcg(reinterpret_cast<const double2*>(first + std::int64_t{row} * stride));
        return;
    }
#pragma unroll
    for (int row = 0; row < batch; ++row)
        elements[row] =
            __ldcs(reinterpret_cast<const double2*>(first + std::int64_t{row} * stride));
}

/// Adds rows to the sums of the thread's columns, and returns, at lanes 8 i, the sum over row
/// i.
__device__ double add_rows(const double2 (&elements)[batch], double2 of_columns,
                           const double* of_rows, double2& column_sums) {
    double row_sums[batch] = {};
#pragma unroll
    for (int row = 0; row < batch; ++row) {
        row_sums[row] += elements[row].x * of_columns.x;
        row_sums[row] += elements[row].y * of_columns.y;
        column_sums.x += elements[row].x * of_rows[row];
        column_sums.y += elements[row].y * of_rows[row];
    }
    return warp_sums(row_sums);
}

/// The tiles of a block. A warp keeps the sums over its rows for a whole panel; sums over columns
/// are added once for a tile.
__global__ void __launch_bounds__(block_threads, triangle_blocks_of_multiprocessor)
    multiply_tiles(TriangleOnGpu triangle, DirectionOnGpu direction) {
    // Two of each: a warp may be a tile ahead of another one.
    __shared__ double column_sums[2][warps / halves][edge];
    __shared__ double of_columns[2][edge];
    __shared__ double of_rows[warps][rows_of_warp];
    __shared__ double row_sums[warps][rows_of_warp];
    let_next_kernel_start();
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = warp_of_thread();
    const int lane = lane_of_thread();
    const int end = static_cast<int>(triangle.work[blockIdx.x + 1].first_tile);
    Place place(triangle, triangle.work[blockIdx.x]);
    if (lane < rows_ahead)
        bring_to_l2(place.row - 2 * lane + std::int64_t{lane} * place.stride,
                    half * sizeof(double));
    wait_for_last_kernel();
    const double beta = begin_product(direction);
    const auto element = [&](int i) {
        return i < triangle.size ? element_of(direction, beta, i) : 0.0;
    };
    if (thread < edge)
        of_columns[0][thread] = element(place.column(triangle) + thread);
    double curvature = 0;
    bool begins = true;  // the block's tiles of a panel
    __syncthreads();
    for (int side = 0; place.tile < end; side = 1 - side) {
        double2 elements[batch];
        const bool kept = place.kept(triangle);
        load(place.row, place.stride, kept, elements);
        const bool on_diagonal = place.tiles_before(triangle) == 0;
        if (begins) {
            of_rows[warp][lane] = element(place.first_row(triangle) + first_row_of_warp() + lane);
            row_sums[warp][lane] = 0;
            __syncwarp();
        }
        const double2 factor =
            *reinterpret_cast<const double2*>(&of_columns[side][column_of_thread()]);
        double2 sums{};
#pragma unroll 1
        for (int row = 0; row < rows_of_warp; row += batch) {
            const double sum = add_rows(elements, factor, &of_rows[warp][row], sums);
            if (row + batch < rows_of_warp)
                load(place.row + std::int64_t{row + batch} * place.stride, place.stride, kept,
                     elements);
            if (lane % 8 == 0)
                row_sums[warp][row + lane / 8] += sum;
        }
        *reinterpret_cast<double2*>(&column_sums[side][warp / halves][column_of_thread()]) = sums;
        place.advance(triangle);
        if (thread < edge)
            of_columns[1 - side][thread] = element(place.column(triangle) + thread);
        begins = place.tiles_before(triangle) == 0;
        if (begins || place.tile == end) {
            __syncwarp();
            const std::int64_t slot = blockIdx.x + place.panel - (begins ? 1 : 0);
            triangle.sums[triangle.tiles * edge + (slot * halves + warp % halves) * edge +
                          first_row_of_warp() + lane] = row_sums[warp][lane];
            curvature += row_sums[warp][lane] * of_rows[warp][lane];
            __syncwarp();
        }
        __syncthreads();
        if (thread < edge && !on_diagonal) {
            double sum = 0;
#pragma unroll
            for (int group = 0; group < warps / halves; ++group)
                sum += column_sums[side][group][thread];
            triangle.sums[std::int64_t{place.tile - 1} * edge + thread] = sum;
            curvature += sum * of_columns[side][thread];
        }
    }
    const double sum = block_sum(curvature);
    if (thread == 0)
        triangle.curvature[blockIdx.x] = sum;
}

/// Elements of the product: sums over the row from left to right, then over the column from top to
/// bottom; warps take turns.
struct TriangleSums {
    TriangleOnGpu triangle;
    __device__ double sums(std::int64_t i, int warp, int of) const {
        const std::int64_t panel = i / triangle_tile;
        const std::int64_t place = i % triangle_tile;
        const std::int64_t above = triangle.panels_above[panel];
        const TrianglePanel own = triangle.panels[above];
        double sum = 0;
        if (own.first_row == panel * triangle_tile) {
            const std::int64_t last = own.first_tile + own.stride / triangle_tile - 1;
            const std::int64_t end = block_of_tile(last, triangle.tiles, triangle.blocks);
            for (std::int64_t block =
                     block_of_tile(own.first_tile, triangle.tiles, triangle.blocks) + warp;
                 block <= end; block += of) {
                const double* of_block =
                    triangle.sums + triangle.tiles * edge + (block + above) * halves * edge + place;
                sum += __ldcg(of_block) + __ldcg(of_block + edge);
            }
        }
#pragma unroll 4
        for (std::int64_t other = warp; other < above; other += of) {
            const TrianglePanel of_other = triangle.panels[other];
            const std::int64_t tile =
                of_other.first_tile + panel - of_other.first_row / triangle_tile;
            sum += __ldcg(triangle.sums + tile * triangle_tile + place);
        }
        return sum;
    }
};

}  // namespace

void launch_product(const TriangleOnGpu& triangle, const DirectionOnGpu& direction,
                    cudaStream_t stream) {
    if (triangle.blocks > 0)
        launch_dependent(multiply_tiles, {triangle.blocks, block_threads}, stream, triangle,
                         direction);
}

void launch_sums(const TriangleOnGpu& triangle, double* y, double* result, cudaStream_t stream) {
    launch_add_product(TriangleSums{triangle}, y, triangle.size,
                       {triangle.curvature, triangle.blocks}, result, stream);
}

void launch_update(const TriangleOnGpu& triangle, const UpdateOnGpu& update, cudaStream_t stream) {
    launch_update_of(TriangleSums{triangle}, update, stream);
}

cudaError_t load_triangle_kernels() {
    return device::loaded(multiply_tiles, update_blocks_of<TriangleSums>,
                          add_product<TriangleSums>);
}

}  // namespace quartet::cg

#include <algorithm>

#include "device/cuda/blas/gemv_kernel.hpp"
#include "device/cuda/matrix/triangle_kernel.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

/// The kernels of matrices as loops over the same layouts.
namespace quartet::device {

namespace {

/// What a tile leaves, in the order of a kernel of one thread.
void multiply_tile(const TriangleOnGpu& triangle, std::int64_t number, const double* x) {
    const TriangleTile tile = triangle.tiles[number];
    double* row_sums = triangle.sums + number * tile_sums;
    double* column_sums = row_sums + tile_rows;
    std::fill_n(row_sums, tile_sums, 0.0);
    for (std::int64_t i = 0; i < tile.panels; ++i) {
        const TrianglePanel panel = triangle.panels[tile.first_panel + i];
        for (std::int64_t r = 0; r < triangle_panel_rows; ++r) {
            const std::int64_t row = panel.first_row + r;
            const std::int64_t first = tile.chunk * tile_columns;
            const std::int64_t end =
                row < triangle.size ? std::min(tile_columns, triangle.size - first) : 0;
            for (std::int64_t c = std::max<std::int64_t>(0, panel.first_row - first); c < end;
                 ++c) {
                const std::int64_t column = first + c;
                const std::int64_t place = column - panel.first_row;
                const double value = triangle.elements[panel.offset + r * panel.stride + place];
                row_sums[i * triangle_panel_rows + r] += value * x[column];
                if (place >= triangle_panel_rows)
                    column_sums[c] += value * x[row];
            }
        }
    }
}

double add_tiles(const TriangleOnGpu& triangle, std::int64_t i) {
    double sum = 0;
    const std::int64_t panel = triangle.panel_of[i / triangle_panel_rows];
    for (std::int64_t number = 0; number < triangle.tile_count; ++number) {
        const TriangleTile tile = triangle.tiles[number];
        const double* sums = triangle.sums + number * tile_sums;
        if (panel >= tile.first_panel && panel < tile.first_panel + tile.panels)
            sum += sums[(panel - tile.first_panel) * triangle_panel_rows + i % triangle_panel_rows];
        if (tile.chunk == i / tile_columns)
            sum += sums[tile_rows + i % tile_columns];
    }
    return sum;
}

}  // namespace

void launch_gemv(const RowMajorMatrix& on_gpu, const double* x, double* y, cudaStream_t stream) {
    RowMajorMatrix matrix = on_gpu;
    matrix.elements = on_cpu(matrix.elements);
    x = on_cpu(x);
    y = on_cpu(y);
    fakes(stream).enqueue(Phase::compute, "gemv", [=] {
        for (std::int64_t row = 0; row < matrix.rows; ++row) {
            y[row] = 0;
            for (std::int64_t column = 0; column < matrix.columns; ++column)
                y[row] += matrix.elements[row * matrix.stride + column] * x[column];
        }
    });
}

void launch_triangle_product(const TriangleOnGpu& on_gpu, const double* x, double* y,
                             cudaStream_t stream) {
    TriangleOnGpu triangle = on_gpu;
    triangle.elements = on_cpu(triangle.elements);
    triangle.panels = on_cpu(triangle.panels);
    triangle.tiles = on_cpu(triangle.tiles);
    triangle.tile_rows = on_cpu(triangle.tile_rows);
    triangle.panel_of = on_cpu(triangle.panel_of);
    triangle.sums = on_cpu(triangle.sums);
    x = on_cpu(x);
    y = on_cpu(y);
    fakes(stream).enqueue(Phase::compute, "triangle", [=] {
        for (std::int64_t tile = 0; tile < triangle.tile_count; ++tile)
            multiply_tile(triangle, tile, x);
        for (std::int64_t i = 0; i < triangle.size; ++i)
            y[i] = add_tiles(triangle, i);
    });
}

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

#include "device/cuda/matrix/triangle_layout.hpp"

namespace quartet::device {

/// A part of a triangle in the GPU's memory (triangle_layout.hpp); a product writes the sums of its
/// tiles to `sums`.
struct TriangleOnGpu {
    std::int64_t size;
    std::int64_t tile_count;
    std::int64_t tile_row_count;
    const double* elements;
    const TrianglePanel* panels;
    const TriangleTile* tiles;
    const TileRow* tile_rows;
    const std::int64_t* tile_rows_of_chunk;
    const std::int64_t* panel_of;
    double* sums;
};

/// y = (the part and its mirror image) x, of the whole size. No atomics: each sum has one order.
void launch_triangle_product(const TriangleOnGpu& triangle, const double* x, double* y,
                             cudaStream_t stream);

cudaError_t load_triangle_kernels();

}  // namespace quartet::device

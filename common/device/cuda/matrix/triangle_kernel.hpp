#pragma once

#include <cuda_runtime.h>

#include "device/cuda/matrix/classic_iteration.hpp"
#include "device/cuda/matrix/triangle_layout.hpp"

namespace quartet::device {

/// A part of a triangle in the GPU's memory (triangle_layout.hpp); a product leaves its sums over
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

/// The sums of (the part and its mirror image) times the direction.
void launch_triangle_product(const TriangleOnGpu& triangle, const DirectionOnGpu& direction,
                             cudaStream_t stream);
/// y = the product, and its p.Ap if there is a `result`. No atomics: each sum has one order.
void launch_triangle_sums(const TriangleOnGpu& triangle, double* y, double* result,
                          cudaStream_t stream);
/// The update after a product.
void launch_triangle_update(const TriangleOnGpu& triangle, const UpdateOnGpu& update,
                            cudaStream_t stream);

cudaError_t load_triangle_kernels();

}  // namespace quartet::device

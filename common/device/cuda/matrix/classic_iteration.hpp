#pragma once

#include <cstdint>

#include "device/cg_scalars.hpp"
#include "device/cuda/matrix/factor_on_gpu.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

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
    FactorOnGpu alpha;      ///< where there are no scalars
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

}  // namespace quartet::device

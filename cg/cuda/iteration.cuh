#pragma once

#include "cg/cuda/kernels.hpp"
#include "device/cuda/runtime/block_sum.cuh"
#include "device/cuda/runtime/dependent_launch.cuh"

namespace quartet::cg {

using device::grid_thread;
using device::launch_dependent;
using device::let_next_kernel_start;
using device::sum_of;
using device::wait_for_last_kernel;

/// An element of p = r + beta p. Product and update both compute it, with the same bits.
__device__ inline double next_direction(double beta, double p, double r) {
    return fma(beta, p, r);
}

/// An element of the vector that a product multiplies. Read past the L1 cache, which may hold old
/// values.
__device__ inline double element_of(const DirectionOnGpu& direction, double beta, std::int64_t i) {
    const double p = __ldcg(direction.p + i);
    const double next = next_direction(beta, p, __ldcg(direction.r + i));
    return direction.scalars == nullptr ? p : next;
}

/// Beta of a product. All threads of all blocks call it.
__device__ inline double begin_product(const DirectionOnGpu& direction) {
    CgScalars* scalars = direction.scalars;
    if (scalars == nullptr)
        return 0;
    const double before = __ldcg(&scalars->residual_dot);
    const double alpha = __ldcg(&scalars->alpha);
    const double residual_dot = sum_of(direction.residual_dot.sums, direction.residual_dot.count);
    const double beta = beta_of(residual_dot, before, alpha);
    if (grid_thread() == 0) {
        scalars->sum = residual_dot;
        scalars->beta = beta;
        direction.history[__ldcg(&scalars->done)] = residual_dot;
    }
    return beta;
}

/// Alpha of an update. All threads of all blocks call it.
__device__ inline double begin_update(const UpdateOnGpu& update) {
    if (update.scalars == nullptr)
        return update.alpha;
    CgScalars* scalars = update.scalars;
    const double residual_dot = __ldcg(&scalars->sum);
    const double curvature = sum_of(update.curvature.sums, update.curvature.count);
    const bool good = are_of_positive_definite(residual_dot, curvature);
    const double alpha = good ? alpha_of(residual_dot, curvature) : 0;
    if (grid_thread() == 0) {
        const std::int64_t done = __ldcg(&scalars->done);
        if (!good && __ldcg(&scalars->failed_at) < 0) {
            scalars->failed_at = done;
            scalars->failed_residual_dot = residual_dot;
            scalars->failed_curvature = curvature;
        }
        scalars->alpha = alpha;
        scalars->residual_dot = residual_dot;
        scalars->done = done + 1;
    }
    return alpha;
}

/// Element i of a product, for the first warp: the sum of all warps' shares.
/// Product::sums(i, warp, warps) is a warp's share.
template <typename Product>
__device__ double element_of_product(const Product& product, std::int64_t i, std::int64_t size) {
    constexpr int warps = block_threads / 32;
    __shared__ double of_warps[warps][32];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    double sum = i < size ? product.sums(i, warp, warps) : 0.0;
    of_warps[warp][lane] = sum;
    __syncthreads();
    for (int other = 1; other < warps; ++other)
        sum += of_warps[other][lane];
    return sum;
}

/// x += alpha p, r -= alpha A p, and the sums of r.r.
template <typename Product>
__global__ void __launch_bounds__(block_threads)
    update_blocks_of(Product product, UpdateOnGpu update) {
    let_next_kernel_start();
    wait_for_last_kernel();
    const int lane = static_cast<int>(threadIdx.x);
    const bool is_next = update.direction == UpdatedDirection::next;
    const double beta = is_next ? __ldcg(&update.scalars->beta) : 0.0;
    double alpha = 0;
    double sum = 0;
    for (std::int64_t group = blockIdx.x; group * update_elements < update.size;
         group += gridDim.x) {
        const std::int64_t i = group * update_elements + lane % 32;
        const bool mine = lane < 32 && i < update.size;
        const double p = mine ? __ldcg(update.p + i) : 0.0;
        const double x = mine ? __ldcg(update.x + i) : 0.0;
        double r = mine ? __ldcg(update.r + i) : 0.0;
        const double of_product = element_of_product(product, i, update.size);
        if (group == blockIdx.x)
            alpha = begin_update(update);
        __syncthreads();  // before the next product is added
        if (!mine)
            continue;
        const double along = is_next ? next_direction(beta, p, r) : p;
        if (is_next)
            update.p[i] = along;
        update.x[i] = fma(alpha, along, x);
        r = fma(-alpha, of_product, r);
        update.r[i] = r;
        sum += r * r;
    }
    if (lane >= 32)
        return;
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    if (lane == 0)
        update.residual_sums[blockIdx.x] = sum;
}

/// y = the product, and the sum of its blocks' sums where there is a `result`.
template <typename Product>
__global__ void __launch_bounds__(block_threads)
    add_product(Product product, double* y, std::int64_t size, PartialSums curvature,
                double* result) {
    wait_for_last_kernel();
    const std::int64_t i =
        static_cast<std::int64_t>(blockIdx.x) * update_elements + threadIdx.x % 32;
    const double sum = element_of_product(product, i, size);
    if (threadIdx.x < 32 && i < size)
        y[i] = sum;
    if (blockIdx.x > 0 || result == nullptr)
        return;
    const double curvature_sum = sum_of(curvature.sums, curvature.count);
    if (threadIdx.x == 0)
        *result = curvature_sum;
}

template <typename Product>
void launch_update_of(const Product& product, const UpdateOnGpu& update, cudaStream_t stream) {
    if (update.size > 0)
        launch_dependent(update_blocks_of<Product>, {update_blocks(update.size), block_threads},
                         stream, product, update);
}

template <typename Product>
void launch_add_product(const Product& product, double* y, std::int64_t size, PartialSums curvature,
                        double* result, cudaStream_t stream) {
    launch_dependent(add_product<Product>, {divide_up(size, update_elements), block_threads},
                     stream, product, y, size, curvature, result);
}

}  // namespace quartet::cg

#pragma once

#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

/// The sum of the values of a block's first block_threads threads, always in the same order. All
/// threads of the block must call it, all get the sum, and a barrier must separate two calls.
__device__ inline double block_sum(double value) {
    constexpr unsigned all = 0xffffffff;
    constexpr int warp = 32;
    constexpr int warps = block_threads / warp;
    __shared__ double of_warps[warps];
    const int thread = static_cast<int>(threadIdx.x);
    for (int lanes = warp / 2; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(all, value, lanes);
    if (thread < block_threads && thread % warp == 0)
        of_warps[thread / warp] = value;
    __syncthreads();
    double sums[warps];
#pragma unroll
    for (int i = 0; i < warps; ++i)
        sums[i] = of_warps[i];
#pragma unroll
    for (int half = warps / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; ++i)
            sums[i] += sums[i + half];
    return sums[0];
}

/// The sum of `count` numbers that earlier kernels wrote. All threads of the block must call it, as
/// block_sum().
__device__ inline double sum_of(const double* numbers, std::int64_t count) {
    double sum = 0;
    if (threadIdx.x < block_threads)
        for (std::int64_t i = threadIdx.x; i < count; i += block_threads)
            sum += __ldcg(numbers + i);
    return block_sum(sum);
}

/// The number of this thread in the grid, and how many threads the grid has.
__device__ inline std::int64_t grid_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t grid_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace quartet::device

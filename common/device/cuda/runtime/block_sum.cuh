#pragma once

#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

/// The sum of a block's values, always in the same order. Thread 0 gets it, other threads get
/// partial sums. All block_threads threads must call it, once: a second sum would overwrite what
/// may still be read.
__device__ inline double block_sum(double value) {
    constexpr unsigned all = 0xffffffff;
    constexpr int warp = 32;
    constexpr int warps = block_threads / warp;
    __shared__ double of_warps[warps];
    const int thread = static_cast<int>(threadIdx.x);
    for (int offset = warp / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(all, value, offset);
    if (thread % warp == 0)
        of_warps[thread / warp] = value;
    __syncthreads();
    if (thread >= warp)
        return value;
    value = thread < warps ? of_warps[thread] : 0.0;
    for (int offset = warps / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(all, value, offset);
    return value;
}

/// The number of this thread in the grid, and how many threads the grid has.
__device__ inline std::int64_t grid_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t grid_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

namespace quartet::device {

/// Instructions that GPUs before Hopper lack: there these functions do nothing.

/// Waits until the previous kernel has ended and its writes can be seen. Each thread calls it.
__device__ inline void wait_for_last_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel's blocks start once all blocks of this kernel have called it, or ended.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Prefetches `bytes`, a multiple of 16, into the L2 cache.
__device__ inline void bring_to_l2([[maybe_unused]] const void* address,
                                   [[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes));
#endif
}

}  // namespace quartet::device

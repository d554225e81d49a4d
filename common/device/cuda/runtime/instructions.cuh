#pragma once

#include <cuda_runtime.h>

namespace quartet::device {

/// What not every architecture has an instruction for.

/// Until the kernel before has ended, and its writes can be seen. Each thread calls it.
__device__ inline void wait_for_last_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The next kernel's blocks may start once all blocks of this one have said so, or ended.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Asks for `bytes`, a multiple of 16, to be brought to the L2 cache; GPUs before Hopper do not.
__device__ inline void bring_to_l2([[maybe_unused]] const void* address,
                                   [[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes));
#endif
}

}  // namespace quartet::device

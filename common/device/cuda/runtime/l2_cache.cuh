#pragma once

#include <cuda_runtime.h>

namespace quartet::device {

/// Asks for `bytes`, a multiple of 16, to be brought to the cache; GPUs before Hopper do not.
__device__ inline void bring_to_l2([[maybe_unused]] const void* address,
                                   [[maybe_unused]] unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(address), "r"(bytes));
#endif
}

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace quartet::device {

/// What becomes of an element in the L2 cache, as loads are told (PTX ISA, createpolicy).
using L2Policy = std::uint64_t;

/// Kept before all others, or the first to go.
__device__ inline L2Policy l2_policy([[maybe_unused]] bool keeps) {
    L2Policy policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (keeps)
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    else
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/// Two neighbours in memory that no kernel writes meanwhile.
__device__ inline double2 load_by(const double2* address, [[maybe_unused]] L2Policy policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    double2 pair;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                 : "=d"(pair.x), "=d"(pair.y)
                 : "l"(address), "l"(policy));
    return pair;
#else
    return __ldcs(address);
#endif
}

/// Asks for `bytes`, a multiple of 16, to be brought to the cache; GPUs before Hopper do not.
__device__ inline void bring_to_l2([[maybe_unused]] const void* address,
                                   [[maybe_unused]] unsigned bytes,
                                   [[maybe_unused]] L2Policy policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(address),
                 "r"(bytes), "l"(policy));
#endif
}

}  // namespace quartet::device

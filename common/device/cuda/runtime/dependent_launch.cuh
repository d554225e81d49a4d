#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "device/cuda/runtime/instructions.cuh"

namespace quartet::device {

/// Programmatic dependent launch (CUDA C++ Programming Guide): a kernel's blocks may start while
/// the previous kernel still runs, and wait before they touch what it reads or writes. GPUs before
/// Hopper have no such launches: there a kernel starts when the previous kernel has ended.

struct DependentLaunch {
    std::int64_t blocks = 0;
    int threads = 0;
    std::size_t shared_bytes = 0;
};

/// Launches a kernel that itself waits for the previous kernel, also in a graph.
template <typename... Parameters, typename... Arguments>
void launch_dependent(void (*kernel)(Parameters...), const DependentLaunch& launch,
                      cudaStream_t stream, const Arguments&... arguments) {
    int gpu = 0;
    int major = 0;
    cudaGetDevice(&gpu);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu);
    cudaLaunchAttribute may_overlap{};
    may_overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    may_overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(launch.blocks);
    config.blockDim = static_cast<unsigned>(launch.threads);
    config.dynamicSmemBytes = launch.shared_bytes;
    config.stream = stream;
    config.attrs = &may_overlap;
    config.numAttrs = major >= 9 ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

}  // namespace quartet::device

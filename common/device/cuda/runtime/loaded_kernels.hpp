#pragma once

#include <cuda_runtime.h>

namespace quartet::device {

/// Loads kernels for the current GPU, which would otherwise happen at their first launches: in the
/// middle of a recording or of timed work, or after memory was planned (CUDA C++ Programming Guide,
/// "Lazy Loading"). Returns the first error, such as kernels that lack the GPU's architecture.
template <typename... Kernels>
cudaError_t loaded(Kernels... kernels) {
    cudaError_t status = cudaSuccess;
    for (const void* kernel : {reinterpret_cast<const void*>(kernels)...}) {
        cudaFuncAttributes attributes{};
        const cudaError_t of_kernel = cudaFuncGetAttributes(&attributes, kernel);
        status = status == cudaSuccess ? of_kernel : status;
    }
    return status;
}

}  // namespace quartet::device

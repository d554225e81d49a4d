#pragma once

#include <cuda_runtime.h>

#include <source_location>

namespace quartet::device {

/// Throws Failure with the call's name and CUDA's reason unless `status` is success. Where the
/// error has spoilt the process's use of the GPU for good, says that too.
void cuda_check(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

/// Throws Failure if a kernel could not be launched: its error is not returned by the launch.
void check_launch(const char* kernel, std::source_location where = std::source_location::current());

/// For destructors, and for calls whose failure is no error: forgets the error that the next launch
/// would otherwise report as its own.
void ignore(cudaError_t status);

/// A fact of the calling thread's current GPU.
int gpu_attribute(cudaDeviceAttr which);

}  // namespace quartet::device

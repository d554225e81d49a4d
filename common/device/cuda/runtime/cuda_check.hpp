#pragma once

#include <cuda_runtime.h>

#include <source_location>

namespace quartet::device {

/// Throws Failure with the call's name and CUDA's reason unless `status` is success. The message
/// says if the process cannot use the GPU any more after this error.
void cuda_check(cudaError_t status, const char* call,
                std::source_location where = std::source_location::current());

/// Throws Failure if a kernel could not be launched: the launch itself returns no error.
void check_launch(const char* kernel, std::source_location where = std::source_location::current());

/// For destructors, and for calls whose failure is no error: forgets the error that the next launch
/// would otherwise report as its own.
void ignore(cudaError_t status);

/// An attribute of the calling thread's current GPU.
int gpu_attribute(cudaDeviceAttr which);

}  // namespace quartet::device

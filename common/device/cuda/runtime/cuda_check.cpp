#include "device/cuda/runtime/cuda_check.hpp"

#include <fmt/format.h>

#include "core/check.hpp"

namespace quartet::device {

namespace {

// The errors after which CUDA says that "any further CUDA work will return the same error".
bool spoils_process(cudaError_t status) {
    switch (status) {
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorIllegalAddress:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchTimeout:
        case cudaErrorLaunchFailure:
        case cudaErrorAssert:
        case static_cast<cudaError_t>(226):  // cudaErrorContained, of newer toolkits
        case static_cast<cudaError_t>(721):  // cudaErrorTensorMemoryLeak
            return true;
        default:
            return false;
    }
}

}  // namespace

void cuda_check(cudaError_t status, const char* call, std::source_location where) {
    if (status == cudaSuccess) [[likely]] {
        return;
    }
    ignore(status);
    throw Failure(fmt::format(
        "{} failed ({}: {}, at {}){}", call, cudaGetErrorName(status), cudaGetErrorString(status),
        describe(where),
        spoils_process(status) ? ": the GPU is lost to this process, start it again" : ""));
}

void check_launch(const char* kernel, std::source_location where) {
    cuda_check(cudaGetLastError(), kernel, where);
}

void ignore(cudaError_t status) {
    if (status != cudaSuccess)
        static_cast<void>(cudaGetLastError());
}

int gpu_attribute(cudaDeviceAttr which) {
    int gpu = 0;
    int value = 0;
    cuda_check(cudaGetDevice(&gpu), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&value, which, gpu), "cudaDeviceGetAttribute");
    return value;
}

}  // namespace quartet::device

#include "device/cuda/info/why_no_cuda.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "core/check.hpp"
#include "core/environment.hpp"
#include "device/cuda/runtime/cuda_check.hpp"

namespace quartet::device {

namespace {

// 13000 is version 13.0.
std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string no_visible_gpu() {
    Environment environment;
    const auto visible = environment.get("CUDA_VISIBLE_DEVICES");
    return visible ? fmt::format(
                         "no CUDA device: no GPU is visible (CUDA_VISIBLE_DEVICES is {}): set it "
                         "otherwise, or compute with --device host",
                         quotation(*visible))
                   : "no CUDA device: the driver finds no GPU (nvidia-smi may tell why): compute "
                     "with --device host";
}

std::string driver_too_old(int driver) {
    return fmt::format(
        "no CUDA device: the driver is too old (it serves CUDA up to {}, this was built with {}): "
        "update it, or build with an older toolkit",
        version_text(driver), version_text(CUDART_VERSION));
}

}  // namespace

std::optional<std::string> why_no_cuda() {
    int driver = 0;
    int count = 0;
    ignore(cudaDriverGetVersion(&driver));
    const cudaError_t status = cudaGetDeviceCount(&count);
    ignore(status);
    if (status == cudaErrorStubLibrary)  // says version 0, too
        return "no CUDA device: libcuda.so.1 is the toolkit's stub, not the driver's (a folder of "
               "stubs is in LD_LIBRARY_PATH): take that out, or compute with --device host";
    if (driver == 0)
        return "no CUDA device: no NVIDIA driver is there (libcuda.so.1 cannot be loaded): run "
               "where there is a GPU, or compute with --device host";
    if (status == cudaErrorInsufficientDriver)
        return driver_too_old(driver);
    if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
        return no_visible_gpu();
    if (status != cudaSuccess)
        return fmt::format("no CUDA device: the driver refuses ({}): compute with --device host",
                           cudaGetErrorString(status));
    return std::nullopt;
}

}  // namespace quartet::device

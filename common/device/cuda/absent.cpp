#include "device/cuda/cuda_device.hpp"
#include "device/cuda/current_gpu.hpp"

namespace quartet::device {

std::optional<std::string> why_no_cuda() {
    return "not available in this build: the CUDA device";
}

std::unique_ptr<Device> make_cuda_device(const CudaSettings&, Trace&) {
    throw Unavailable(*why_no_cuda());
}

int visible_gpus() {
    return 0;
}

GpuMemory current_gpu_memory() {
    throw Unavailable(*why_no_cuda());
}

GpuFacts current_gpu_facts() {
    GpuFacts nothing;
    nothing.why_empty = *why_no_cuda();
    return nothing;
}

std::string describe_current_gpu() {
    return *why_no_cuda();
}

}  // namespace quartet::device

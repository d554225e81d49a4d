#include "device/cuda/cuda_device.hpp"

namespace quartet::device {

std::optional<std::string> why_no_cuda() {
    return "not available in this build: the CUDA device";
}

std::unique_ptr<Device> make_cuda_device(const CudaSettings&, Trace&) {
    throw Unavailable(*why_no_cuda());
}

GpuFacts current_gpu_facts() {
    GpuFacts nothing;
    nothing.why_empty = *why_no_cuda();
    return nothing;
}

}  // namespace quartet::device

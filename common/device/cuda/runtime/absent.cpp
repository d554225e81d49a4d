#include "device/cuda/info/current_gpu.hpp"
#include "device/cuda/info/gpu_sharing.hpp"
#include "device/cuda/runtime/cuda_device.hpp"

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

GpuMemoryHandle export_memory(const Allocation&) {
    throw Unavailable(*why_no_cuda());
}

Allocation import_memory(const GpuMemoryHandle&, Bytes) {
    throw Unavailable(*why_no_cuda());
}

PageLock::PageLock(View<std::byte>) {
    throw Unavailable(*why_no_cuda());
}
PageLock::PageLock(PageLock&&) noexcept = default;
PageLock::~PageLock() = default;

}  // namespace quartet::device

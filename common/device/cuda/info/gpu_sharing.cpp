#include "device/cuda/info/gpu_sharing.hpp"

#include <cuda_runtime.h>

#include <cstring>
#include <utility>

#include "device/cuda/runtime/cuda_check.hpp"

namespace quartet::device {

static_assert(sizeof(GpuMemoryHandle) == sizeof(cudaIpcMemHandle_t));

GpuMemoryHandle export_memory(const Allocation& allocation) {
    cudaIpcMemHandle_t handle;
    cuda_check(cudaIpcGetMemHandle(&handle, allocation.data.get()), "cudaIpcGetMemHandle");
    GpuMemoryHandle exported;
    std::memcpy(exported.bytes.data(), &handle, sizeof(handle));
    return exported;
}

Allocation import_memory(const GpuMemoryHandle& handle, Bytes size) {
    cudaIpcMemHandle_t imported;
    std::memcpy(&imported, handle.bytes.data(), sizeof(imported));
    void* data = nullptr;
    cuda_check(cudaIpcOpenMemHandle(&data, imported, cudaIpcMemLazyEnablePeerAccess),
               "cudaIpcOpenMemHandle");
    return {{static_cast<std::byte*>(data),
             [](std::byte* opened) { ignore(cudaIpcCloseMemHandle(opened)); }},
            size,
            MemoryKind::device};
}

PageLock::PageLock(View<std::byte> memory) {
    if (memory.empty())
        return;
    cuda_check(cudaHostRegister(memory.data(), static_cast<std::size_t>(memory.size()),
                                cudaHostRegisterPortable),
               "cudaHostRegister");
    begin_ = memory.data();
}

PageLock::PageLock(PageLock&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)) {}

PageLock::~PageLock() {
    if (begin_ != nullptr)
        ignore(cudaHostUnregister(begin_));
}

}  // namespace quartet::device

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/environment.hpp"
#include "fakes/emulator/launch.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

using namespace quartet::device;

namespace {

std::atomic<bool> peers_are_hidden = false;

FakeGpuNode& node() {
    return FakeGpuNode::of_process();
}

FakeGpuMemory& memory() {
    return FakeGpuMemory::of_process();
}

// QUARTET_STAND_IN_REFUSES: "device", which another process has, "kernels", none of which was built
// for this GPU, or "all", as the toolkit's stub of the driver does.
bool refuses(const char* what) {
    return quartet::Environment().get("QUARTET_STAND_IN_REFUSES") == what;
}

}  // namespace

namespace quartet::device {

void hide_peers() {
    peers_are_hidden = true;
}

void show_peers() {
    peers_are_hidden = false;
}

}  // namespace quartet::device

cudaError_t cudaDriverGetVersion(int* version) {
    *version = refuses("all") ? 0 : 13000;
    return result(cudaSuccess);
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (refuses("all"))
        return result(cudaErrorStubLibrary);
    *count = node().gpus();
    return result(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    if (refuses("device"))
        return result(cudaErrorDevicesUnavailable);
    return result(node().use(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    *attributes = {};
    return result(refuses("kernels") ? cudaErrorNoKernelImageForDevice : cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int value) {
    quartet::emulator::allow_shared_bytes(static_cast<std::size_t>(value));
    return result(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
    *device = FakeGpuNode::current();
    return result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    switch (attribute) {
        case cudaDevAttrComputeCapabilityMajor:
            *value = 9;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = 2;
            break;
        case cudaDevAttrL2CacheSize:
            *value = 1 << 20;
            break;
        case cudaDevAttrClockRate:
        case cudaDevAttrMemoryClockRate:
            *value = 1'000'000;  // kHz
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = 128;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(quartet::emulator::most_allowed_shared_bytes);
            break;
        default:
            *value = 0;
    }
    return result(cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    *properties = {};
    std::strcpy(properties->name, "Fake");
    properties->totalGlobalMem = memory().total();
    properties->major = 9;
    properties->uuid.bytes[sizeof(properties->uuid.bytes) - 1] = static_cast<char>(device);
    return result(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus, int size, int device) {
    std::snprintf(bus, static_cast<std::size_t>(size), "ffff:ff:%02x.0", device);
    return result(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* bus) {
    std::array<char, 32> known{};
    for (*device = 0; *device < node().gpus(); ++*device) {
        const cudaError_t status =
            cudaDeviceGetPCIBusId(known.data(), static_cast<int>(known.size()), *device);
        if (status != cudaSuccess || std::strcmp(known.data(), bus) == 0)
            return result(status);
    }
    return result(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    const bool known = std::max(device, peer) < node().gpus() && std::min(device, peer) >= 0;
    *can = known && device != peer && node().reaches(device, peer) ? 1 : 0;
    return result(known ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *total = memory().total();
    *free = memory().free();
    return result(cudaSuccess);
}

cudaError_t cudaMalloc(void** address, std::size_t size) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    *address = memory().allocate(size);
    return result(*address == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

// As real ones, those that take memory away wait for whatever may use it.
cudaError_t cudaFree(void* address) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    finish_all_streams();
    const bool known = address == nullptr || memory().release(address);
    return result(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostAlloc(void** address, std::size_t size, unsigned) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    *address = std::aligned_alloc(512, std::max<std::size_t>((size + 511) / 512 * 512, 512));
    if (*address == nullptr)
        return result(cudaErrorMemoryAllocation);
    std::memset(*address, 0xff, size);
    memory().lock(*address, std::max<std::size_t>(size, 1));
    return result(cudaSuccess);
}

cudaError_t cudaFreeHost(void* address) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    finish_all_streams();
    const bool known = address == nullptr || memory().unlock(address);
    if (known)
        std::free(address);
    return result(known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* begin, std::size_t size, unsigned) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    const bool locked = memory().lock(begin, size);
    return result(locked ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* begin) {
    if (const cudaError_t refused = result(refused_in_capture()); refused != cudaSuccess)
        return refused;
    finish_all_streams();
    const bool known = memory().unlock(begin);
    return result(known ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
    const FakeGpuMemory::Handle found = memory().handle_of(address);
    static_assert(sizeof(found) <= sizeof(*handle));
    *handle = {};
    std::memcpy(handle, &found, sizeof(found));
    return result(found.size == 0 ? cudaErrorInvalidValue : cudaSuccess);
}

// As the real one, refuses the process that the memory belongs to.
cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned flags) {
    if (flags != cudaIpcMemLazyEnablePeerAccess)
        return result(cudaErrorInvalidValue);
    if (peers_are_hidden)
        return result(cudaErrorInvalidDevice);
    FakeGpuMemory::Handle wanted;
    std::memcpy(static_cast<void*>(&wanted), &handle, sizeof(wanted));
    if (!node().reaches(FakeGpuNode::current(), static_cast<int>(wanted.gpu)))
        return result(cudaErrorPeerAccessUnsupported);
    *address = memory().open(wanted);
    return result(*address == nullptr ? cudaErrorDeviceUninitialized : cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void* address) {
    return result(memory().close(address) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

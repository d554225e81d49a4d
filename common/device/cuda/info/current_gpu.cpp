#include "device/cuda/info/current_gpu.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>

#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_device.hpp"

namespace quartet::device {

namespace {

std::string pci_bus_of_current() {
    int gpu = 0;
    std::array<char, 32> bus{};
    cuda_check(cudaGetDevice(&gpu), "cudaGetDevice");
    cuda_check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), gpu),
               "cudaDeviceGetPCIBusId");
    return bus.data();
}

// "GPU-" and 16 bytes in hexadecimal, grouped as UUIDs are.
std::string uuid_text(const cudaUUID_t& uuid) {
    std::string text = "GPU";
    for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

cudaDeviceProp properties_of_current() {
    int gpu = 0;
    cudaDeviceProp properties{};
    cuda_check(cudaGetDevice(&gpu), "cudaGetDevice");
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    return properties;
}

Bytes all_memory(const cudaDeviceProp& properties) {
    return {static_cast<std::int64_t>(properties.totalGlobalMem)};
}

}  // namespace

int visible_gpus() {
    if (why_no_cuda())
        return 0;
    int count = 0;
    cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
}

GpuMemory current_gpu_memory() {
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return {{static_cast<std::int64_t>(free)}, {static_cast<std::int64_t>(total)}};
}

GpuFacts current_gpu_facts() {
    if (const auto reason = why_no_cuda()) {
        GpuFacts nothing;
        nothing.why_empty = *reason;
        return nothing;
    }
    GpuFacts facts = read_gpu_facts(pci_bus_of_current());
    const cudaDeviceProp properties = properties_of_current();
    facts.name = properties.name;
    facts.uuid = uuid_text(properties.uuid);
    facts.memory = all_memory(properties);
    facts.error_correction = properties.ECCEnabled != 0;
    return facts;
}

std::string describe_current_gpu() {
    const cudaDeviceProp properties = properties_of_current();
    int driver = 0;
    int runtime = 0;
    cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    return fmt::format(
        "{} ({}, architecture {}{}, {}, ECC {}); driver for CUDA {}.{}, runtime {}.{}",
        properties.name, uuid_text(properties.uuid), properties.major, properties.minor,
        to_string(all_memory(properties)), properties.ECCEnabled != 0 ? "on" : "off", driver / 1000,
        driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

}  // namespace quartet::device

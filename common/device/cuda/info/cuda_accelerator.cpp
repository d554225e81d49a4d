#include "device/accelerator.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <array>
#include <cstring>
#include <optional>

#include "core/check.hpp"
#include "core/environment.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/info/nvml.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/require_views.hpp"

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
    if (status == cudaErrorStubLibrary)  // the stub, too, has a driver of version 0
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

namespace {

int visible_gpus() {
    if (why_no_cuda())
        return 0;
    int count = 0;
    cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
}

int current_gpu() {
    int gpu = 0;
    cuda_check(cudaGetDevice(&gpu), "cudaGetDevice");
    return gpu;
}

std::string pci_bus_of(int gpu) {
    std::array<char, 32> bus{};
    cuda_check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), gpu),
               "cudaDeviceGetPCIBusId");
    return bus.data();
}

/// The owner of a UUID: if a GPU is partitioned, CUDA sees one part, and gives the part's UUID.
enum class UuidOf { gpu, part };

// The UUID as CUDA_VISIBLE_DEVICES takes it: a prefix, and 16 bytes in groups of hexadecimals.
std::string uuid_text(const cudaUUID_t& uuid, UuidOf of) {
    std::string text = of == UuidOf::part ? "MIG" : "GPU";
    for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

cudaDeviceProp properties_of_current() {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, current_gpu()), "cudaGetDeviceProperties");
    return properties;
}

Bytes all_memory(const cudaDeviceProp& properties) {
    return {static_cast<std::int64_t>(properties.totalGlobalMem)};
}

class CudaAccelerator final : public Accelerator {
  public:
    [[nodiscard]] int visible() const override { return visible_gpus(); }
    [[nodiscard]] GpuFacts facts() const override;
    [[nodiscard]] GpuCounters counters() const override { return nvml().counters(); }
    [[nodiscard]] Bytes free_memory() const override;
    [[nodiscard]] std::string description() const override;
    [[nodiscard]] std::optional<bool> reaches(const std::string& pci_bus) const override;

    // The size of the blocks in which cudaMalloc takes memory from the driver.
    [[nodiscard]] Bytes exported_block() const override { return mebibytes(2); }
    [[nodiscard]] MemoryHandle export_memory(const Allocation& allocation) override;
    Allocation import_memory(const MemoryHandle& handle, Bytes size) override;
    Allocation lock_pages(const View<std::byte>& memory) override;

    void launch(Stream& stream, Phase phase, const char* label, const NativeWork& work) override {
        as_cuda(stream).launch(phase, label, [&](cudaStream_t handle) { work(handle); });
    }

  private:
    [[nodiscard]] const NvmlGpu& nvml() const {
        if (!nvml_)
            nvml_.emplace(pci_bus_of(current_gpu()));
        return *nvml_;
    }

    mutable std::optional<NvmlGpu> nvml_;  ///< made at its first use, since that takes a while
};

GpuFacts CudaAccelerator::facts() const {
    GpuFacts facts = nvml().facts();
    const cudaDeviceProp properties = properties_of_current();
    facts.name = properties.name;
    const UuidOf owner = facts.partitioned.value_or(false) ? UuidOf::part : UuidOf::gpu;
    facts.uuid = uuid_text(properties.uuid, owner);
    facts.memory = all_memory(properties);
    facts.error_correction = properties.ECCEnabled != 0;
    return facts;
}

Bytes CudaAccelerator::free_memory() const {
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return {static_cast<std::int64_t>(free)};
}

std::string CudaAccelerator::description() const {
    const cudaDeviceProp properties = properties_of_current();
    int driver = 0;
    int runtime = 0;
    cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    return fmt::format("{} ({}, architecture {}{}, {}, ECC {}); driver for CUDA {}, runtime {}",
                       properties.name, facts().uuid, properties.major, properties.minor,
                       to_string(all_memory(properties)), properties.ECCEnabled != 0 ? "on" : "off",
                       version_text(driver), version_text(runtime));
}

std::optional<bool> CudaAccelerator::reaches(const std::string& pci_bus) const {
    const int mine = current_gpu();
    int other = 0;
    int can = 0;
    if (const cudaError_t status = cudaDeviceGetByPCIBusId(&other, pci_bus.c_str());
        status != cudaSuccess) {
        ignore(status);
        return std::nullopt;
    }
    if (mine == other)
        return true;
    cuda_check(cudaDeviceCanAccessPeer(&can, mine, other), "cudaDeviceCanAccessPeer");
    return can != 0;
}

// A handle is a cudaIpcMemHandle_t (CUDA Runtime API, 6.11).
MemoryHandle CudaAccelerator::export_memory(const Allocation& allocation) {
    cudaIpcMemHandle_t handle;
    cuda_check(cudaIpcGetMemHandle(&handle, allocation.data.get()), "cudaIpcGetMemHandle");
    MemoryHandle exported(sizeof(handle), '\0');
    std::memcpy(exported.data(), &handle, sizeof(handle));
    return exported;
}

Allocation CudaAccelerator::import_memory(const MemoryHandle& handle, Bytes size) {
    cudaIpcMemHandle_t imported;
    check(handle.size() == sizeof(imported), "a memory handle of another kind of device");
    std::memcpy(&imported, handle.data(), sizeof(imported));
    void* data = nullptr;
    cuda_check(cudaIpcOpenMemHandle(&data, imported, cudaIpcMemLazyEnablePeerAccess),
               "cudaIpcOpenMemHandle");
    return {{static_cast<std::byte*>(data),
             [](std::byte* opened) { ignore(cudaIpcCloseMemHandle(opened)); }},
            size,
            MemoryKind::device};
}

Allocation CudaAccelerator::lock_pages(const View<std::byte>& memory) {
    if (memory.empty())
        return {{}, {}, MemoryKind::pinned};
    cuda_check(cudaHostRegister(memory.data(), static_cast<std::size_t>(memory.size()),
                                cudaHostRegisterPortable),
               "cudaHostRegister");
    return {{memory.data(), [](std::byte* locked) { ignore(cudaHostUnregister(locked)); }},
            memory.bytes(),
            MemoryKind::pinned};
}

}  // namespace

std::vector<std::string> pci_buses() {
    std::vector<std::string> buses;
    for (int gpu = 0, gpus = visible_gpus(); gpu < gpus; ++gpu)
        buses.push_back(pci_bus_of(gpu));
    return buses;
}

std::unique_ptr<Accelerator> make_cuda_accelerator() {
    return std::make_unique<CudaAccelerator>();
}

}  // namespace quartet::device

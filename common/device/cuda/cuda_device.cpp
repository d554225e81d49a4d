#include "device/cuda/cuda_device.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "device/cuda/cuda_blas.hpp"
#include "device/cuda/cuda_check.hpp"
#include "device/cuda/cuda_event.hpp"
#include "device/cuda/cuda_fft.hpp"
#include "device/cuda/cuda_memory.hpp"
#include "device/cuda/cuda_row_block.hpp"
#include "device/cuda/cuda_split_fft.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/cuda/cuda_triangle_part.hpp"
#include "device/cuda/cuda_vector_operations.hpp"
#include "device/cuda/gpu_choice.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

namespace {

void use_gpu_of(int local_rank) {
    if (const auto reason = why_no_cuda())
        throw Unavailable(*reason);
    int count = 0;
    cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    cuda_check(cudaSetDevice(gpu_of_rank(local_rank, count)), "cudaSetDevice");
}

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

std::string gpu_description() {
    int gpu = 0;
    cudaDeviceProp properties{};
    int driver = 0;
    int runtime = 0;
    cuda_check(cudaGetDevice(&gpu), "cudaGetDevice");
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    return fmt::format(
        "{} ({}, architecture {}{}, {}, ECC {}); driver for CUDA {}.{}, runtime {}.{}",
        properties.name, uuid_text(properties.uuid), properties.major, properties.minor,
        to_string(Bytes{static_cast<std::int64_t>(properties.totalGlobalMem)}),
        properties.ECCEnabled != 0 ? "on" : "off", driver / 1000, driver % 1000 / 10,
        runtime / 1000, runtime % 1000 / 10);
}

class CudaDevice final : public Device {
  public:
    CudaDevice(int threads, Trace& trace)
        : threads_(threads),
          trace_(trace),
          memory_(CudaMemory::make(threads)),
          fft_library_(load_cufft()),
          blas_(make_cuda_blas(*memory_)),
          vectors_(make_cuda_vector_operations()) {}

    [[nodiscard]] std::string_view name() const override { return "cuda"; }
    [[nodiscard]] std::string description() const override {
        return gpu_description() + "; " + blas_->description() + "; " +
               cuda_fft_description(*fft_library_);
    }
    [[nodiscard]] MemoryKind memory_kind() const override { return MemoryKind::device; }

    Allocation allocate(Bytes size, MemoryKind kind) override {
        return memory_->allocate(size, kind);
    }
    // All streams run beside one another, whatever they are for.
    std::unique_ptr<Stream> make_stream(std::string name, StreamKind) override {
        return std::make_unique<CudaStream>(trace_.track(std::move(name)), *memory_);
    }
    std::unique_ptr<Event> make_event() override { return std::make_unique<CudaEvent>(); }

    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override;
    Blas& blas() override { return *blas_; }
    VectorOperations& vectors() override { return *vectors_; }
    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        return plan_cuda_fft(shape, fft_library_, *memory_);
    }

    std::unique_ptr<TilePass> plan_tile_pass(const SplitFft& split) override {
        return plan_cuda_tile_pass(split, split_fft_tools());
    }
    std::unique_ptr<CombinePass> plan_combine_pass(const SplitFft& split) override {
        return plan_cuda_combine_pass(split, split_fft_tools());
    }
    std::unique_ptr<NaturalPass> plan_natural_pass(const SplitFft& split) override {
        return plan_cuda_natural_pass(split);
    }
    std::unique_ptr<PlacePass> plan_place_pass(const SplitFft& split) override {
        return plan_cuda_place_pass(split, split_fft_tools());
    }
    [[nodiscard]] Bytes split_fft_memory(const SplitFft& split) const override {
        return cuda_split_fft_memory(split);
    }

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return make_cuda_row_block(block, threads_, *memory_);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return make_cuda_triangle_part(part, threads_, *memory_);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return cuda_row_block_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        return cuda_triangle_part_memory(part);
    }

  private:
    [[nodiscard]] SplitFftTools split_fft_tools() const { return {fft_library_, *memory_}; }

    int threads_;
    Trace& trace_;
    std::shared_ptr<CudaMemory> memory_;
    std::shared_ptr<const CufftLibrary> fft_library_;
    std::unique_ptr<Blas> blas_;
    std::unique_ptr<VectorOperations> vectors_;
};

void CudaDevice::copy(View<const std::byte> from, View<std::byte> to, Stream& stream) {
    check(from.size() >= 0, "a view of a negative size");
    check(from.size() == to.size(), "copy: source and target differ in size");
    require_apart(from, to);
    if (from.empty())
        return;
    const bool out = from.kind() == MemoryKind::device && to.kind() != MemoryKind::device;
    as_cuda(stream).launch(
        out ? Phase::copy_out : Phase::copy_in, "copy", [&](cudaStream_t handle) {
            cuda_check(
                cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(from.size()),
                                copy_kind(from.kind(), to.kind()), handle),
                "cudaMemcpyAsync");
        });
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(const CudaSettings& settings, Trace& trace) {
    use_gpu_of(settings.local_rank);
    return std::make_unique<CudaDevice>(settings.threads, trace);
}

GpuFacts current_gpu_facts() {
    if (const auto reason = why_no_cuda()) {
        GpuFacts nothing;
        nothing.why_empty = *reason;
        return nothing;
    }
    return read_gpu_facts(pci_bus_of_current());
}

}  // namespace quartet::device

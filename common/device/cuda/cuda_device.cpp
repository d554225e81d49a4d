#include "device/cuda/cuda_device.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <utility>

#include "device/accelerator.hpp"
#include "device/blas.hpp"
#include "device/cuda/peak/multiply_add_kernel.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"
#include "device/multiply_add_probe.hpp"
#include "device/require_views.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

namespace {

[[noreturn]] void refuse_gpu(int gpu, cudaError_t status) {
    ignore(status);
    throw Unavailable(
        fmt::format("no CUDA device: GPU {} cannot be used ({}): see nvidia-smi for who uses it, "
                    "choose another one by --gpu-map, or compute with --device host",
                    gpu, cudaGetErrorString(status)));
}

// The kernels run on the architectures that they were built for, and on newer ones.
[[noreturn]] void refuse_architecture(int gpu) {
    int major = 0;
    int minor = 0;
    ignore(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
    ignore(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu));
    throw Unavailable(fmt::format(
        "no CUDA device: this build has no kernels for GPU {} (its architecture is {}{}, the "
        "oldest built for is {}): build with -D CMAKE_CUDA_ARCHITECTURES={}{}",
        gpu, major, minor, built_architectures().first[0] / 10, major, minor));
}

// Checks this GPU only: other GPUs of the node may be old, or of another user.
void use_gpu(int gpu) {
    if (const auto reason = why_no_cuda())
        throw Unavailable(*reason);
    for (const cudaError_t status : {cudaSetDevice(gpu), cudaFree(nullptr)})
        if (status != cudaSuccess)
            refuse_gpu(gpu, status);
    for (const auto load : {load_vector_kernels, load_gemv_kernels, load_multiply_add_kernels}) {
        const cudaError_t status = load();
        if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
            ignore(status);
            refuse_architecture(gpu);
        }
        cuda_check(status, "cudaFuncGetAttributes");
    }
}

class CudaDevice final : public Device {
  public:
    CudaDevice(int threads, Trace& trace)
        : trace_(trace),
          threads_(threads),
          accelerator_(make_cuda_accelerator()),
          memory_(CudaMemory::make(threads)),
          blas_(make_cuda_blas(*memory_)),
          vectors_(make_cuda_vector_operations()) {}

    [[nodiscard]] std::string_view name() const override { return "cuda"; }
    [[nodiscard]] std::string description() const override {
        return accelerator_->description() + "; " + blas_->description();
    }
    [[nodiscard]] int threads() const override { return threads_; }
    [[nodiscard]] MemoryKind memory_kind() const override { return MemoryKind::device; }
    [[nodiscard]] CudaMemory& memory() { return *memory_; }

    Allocation allocate(Bytes size, MemoryKind kind) override {
        return memory_->allocate(size, kind);
    }
    // All CUDA streams run beside one another, whatever their kind.
    std::unique_ptr<Stream> make_stream(std::string name, StreamKind) override {
        return std::make_unique<CudaStream>(trace_.track(std::move(name)), *memory_);
    }
    std::unique_ptr<Event> make_event() override { return std::make_unique<CudaEvent>(); }

    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override;
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return gated_time(times, enqueue, as_cuda(stream));
    }
    Operations record(Operations operations) override {
        return cuda_recording(operations, *memory_);
    }
    [[nodiscard]] Blas& blas() const override { return *blas_; }
    [[nodiscard]] VectorOperations& vectors() const override { return *vectors_; }
    [[nodiscard]] std::unique_ptr<MultiplyAddProbe> make_multiply_add_probe(
        FloatFormat format) const override {
        return make_cuda_multiply_add_probe(format, *memory_);
    }
    [[nodiscard]] Accelerator* accelerator() const override { return accelerator_.get(); }

  private:
    Trace& trace_;
    int threads_;
    std::unique_ptr<Accelerator> accelerator_;
    std::shared_ptr<CudaMemory> memory_;
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

std::unique_ptr<Device> make_cuda_device(const DeviceSettings& settings, Trace& trace) {
    use_gpu(settings.number);
    return std::make_unique<CudaDevice>(settings.threads, trace);
}

CudaMemory& cuda_memory(Device& device) {
    auto* cuda = dynamic_cast<CudaDevice*>(&device);
    check(cuda != nullptr, "kernels of a GPU on another device");
    return cuda->memory();
}

DeviceKind cuda_device() {
    return {.name = "cuda",
            .processor = Processor::accelerator,
            .why_not = why_no_cuda,
            .visible = pci_buses,
            .make = make_cuda_device};
}

}  // namespace quartet::device

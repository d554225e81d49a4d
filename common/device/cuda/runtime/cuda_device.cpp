#include "device/cuda/runtime/cuda_device.hpp"

#include <cuda_runtime.h>

#include <utility>

#include "device/cuda/blas/cuda_blas.hpp"
#include "device/cuda/fft/cuda_fft.hpp"
#include "device/cuda/fft/cuda_four_step_fft.hpp"
#include "device/cuda/fft/cuda_single_rank_fft.hpp"
#include "device/cuda/info/current_gpu.hpp"
#include "device/cuda/matrix/cuda_row_block.hpp"
#include "device/cuda/matrix/cuda_triangle_part.hpp"
#include "device/cuda/matrix/cuda_vector_operations.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_event.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/cuda/runtime/cuda_recording.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/gated_time.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

namespace {

void use_gpu(int gpu) {
    if (const auto reason = why_no_cuda())
        throw Unavailable(*reason);
    cuda_check(cudaSetDevice(gpu), "cudaSetDevice");
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
        return describe_current_gpu() + "; " + blas_->description() + "; " +
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
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return gated_time(times, enqueue, as_cuda(stream));
    }
    std::unique_ptr<Recording> record(Operations operations) override {
        return make_cuda_recording(operations, *memory_);
    }
    Blas& blas() override { return *blas_; }
    VectorOperations& vectors() override { return *vectors_; }
    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        return plan_cuda_fft(shape, fft_library_, *memory_);
    }

    std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& split) override {
        return plan_cuda_column_ffts(split, four_step_fft_tools());
    }
    std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& split) override {
        return plan_cuda_row_ffts(split, four_step_fft_tools());
    }
    std::unique_ptr<Transpose> plan_transpose(const FourStepFft& split) override {
        return plan_cuda_transpose(split);
    }
    std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& split) override {
        return plan_cuda_scatter_tile(split, four_step_fft_tools());
    }
    [[nodiscard]] Bytes four_step_fft_memory(const FourStepFft& split) const override {
        return cuda_four_step_fft_memory(split);
    }

    std::unique_ptr<SingleRankFft> plan_single_rank_fft(const FourStepFft& split) override {
        return split.ranks == 1 ? plan_cuda_single_rank_fft(split, four_step_fft_tools()) : nullptr;
    }
    [[nodiscard]] std::optional<Bytes> single_rank_fft_memory(
        const FourStepFft& split) const override {
        return split.ranks == 1 ? std::optional(cuda_single_rank_fft_memory(split)) : std::nullopt;
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
    [[nodiscard]] FourStepFftTools four_step_fft_tools() const { return {fft_library_, *memory_}; }

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
    use_gpu(settings.gpu);
    return std::make_unique<CudaDevice>(settings.threads, trace);
}

}  // namespace quartet::device

#include "device/cuda/fft/cuda_ffts.hpp"

namespace quartet::device {

namespace {

class CudaFftFactory final : public FftFactory {
  public:
    explicit CudaFftFactory(CudaMemory& memory) : library_(load_cufft()), memory_(memory) {}

    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        return plan_cuda_fft(shape, library_, memory_);
    }
    std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& shape) override {
        return plan_cuda_column_ffts(shape, tools());
    }
    std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& shape) override {
        return plan_cuda_row_ffts(shape, tools());
    }
    std::unique_ptr<Transpose> plan_transpose(const FourStepFft& shape) override {
        return plan_cuda_transpose(shape);
    }
    [[nodiscard]] Bytes four_step_fft_memory(const FourStepFft& shape) const override {
        return cuda_four_step_fft_memory(shape);
    }
    std::unique_ptr<SingleRankFft> plan_single_rank_fft(const FourStepFft& shape) override {
        return shape.ranks == 1 ? plan_cuda_single_rank_fft(shape, tools()) : nullptr;
    }
    [[nodiscard]] std::optional<Bytes> single_rank_fft_memory(
        const FourStepFft& shape) const override {
        return shape.ranks == 1 ? std::optional(cuda_single_rank_fft_memory(shape)) : std::nullopt;
    }
    [[nodiscard]] std::string description() const override {
        return cuda_fft_description(*library_);
    }

  private:
    [[nodiscard]] FourStepFftTools tools() const { return {library_, memory_}; }

    std::shared_ptr<const CufftLibrary> library_;
    CudaMemory& memory_;
};

}  // namespace

std::unique_ptr<FftFactory> make_cuda_fft_factory(CudaMemory& memory) {
    return std::make_unique<CudaFftFactory>(memory);
}

}  // namespace quartet::device

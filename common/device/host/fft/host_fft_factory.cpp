#include "device/host/fft/host_ffts.hpp"

namespace quartet::device {

namespace {

/// SIMD plans if the sizes allow them, else scalar ones.
class HostFftFactory final : public FftFactory {
  public:
    explicit HostFftFactory(const HostFftSettings& settings) : settings_(settings) {}

    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        return plan_host_fft(shape, settings_.threads);
    }
    std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& shape) override {
        require_valid(shape);
        auto plan = plan_simd_column_ffts(shape, settings_);
        return plan ? std::move(plan) : plan_scalar_column_ffts(shape, settings_.threads);
    }
    std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& shape) override {
        require_valid(shape);
        auto plan = plan_simd_row_ffts(shape, settings_);
        return plan ? std::move(plan) : plan_scalar_row_ffts(shape, settings_.threads);
    }
    std::unique_ptr<Transpose> plan_transpose(const FourStepFft& shape) override {
        return plan_host_transpose(shape, settings_.threads);
    }
    std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& shape) override {
        return plan_host_scatter_tile(shape, settings_);
    }
    std::unique_ptr<PartialRowFfts> plan_partial_row_ffts(const FourStepFft& shape) override {
        return plan_simd_partial_row_ffts(shape, settings_);
    }
    std::unique_ptr<SingleRankFft> plan_single_rank_fft(const FourStepFft& shape) override {
        require_valid(shape);
        return plan_only_tile_fft(shape, settings_);
    }
    [[nodiscard]] std::optional<Bytes> single_rank_fft_memory(
        const FourStepFft& shape) const override {
        require_valid(shape);
        return only_tile_fft_memory(shape, settings_);
    }
    [[nodiscard]] Bytes four_step_fft_memory(const FourStepFft& shape) const override {
        require_valid(shape);
        const auto columns = simd_column_ffts_memory(shape, settings_);
        const auto rows = simd_row_ffts_memory(shape, settings_);
        return columns.value_or(scalar_column_ffts_memory(shape)) +
               rows.value_or(scalar_row_ffts_memory(shape, settings_.threads));
    }
    [[nodiscard]] std::string description() const override { return host_fft_description(); }

  private:
    HostFftSettings settings_;
};

}  // namespace

std::unique_ptr<FftFactory> make_host_fft_factory(const HostFftSettings& settings) {
    return std::make_unique<HostFftFactory>(settings);
}

}  // namespace quartet::device

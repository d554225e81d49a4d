#include <utility>

#include "tests/faults/fault.hpp"
#include "tests/faults/faulty_device.hpp"

namespace quartet::faults {

namespace {

using Points = device::View<const std::complex<double>>;

class FaultyColumns final : public device::ColumnFfts {
  public:
    explicit FaultyColumns(std::unique_ptr<device::ColumnFfts> sound) : sound_(std::move(sound)) {}

    void run(Points tiles, device::View<double> parts, device::Stream& stream) override {
        pass_later("points", tiles, stream);
        sound_->run(tiles, parts, stream);
        pass_later("columns", parts, stream);
    }
    [[nodiscard]] std::string description() const override { return sound_->description(); }

  private:
    std::unique_ptr<device::ColumnFfts> sound_;
};

class FaultyRows final : public device::RowFfts {
  public:
    explicit FaultyRows(std::unique_ptr<device::RowFfts> sound) : sound_(std::move(sound)) {}

    void run(std::span<const device::View<const double>> parts,
             device::View<std::complex<double>> bins, device::Stream& stream) override {
        sound_->run(parts, bins, stream);
        pass_later("rows", bins, stream);
    }
    [[nodiscard]] std::string description() const override { return sound_->description(); }

  private:
    std::unique_ptr<device::RowFfts> sound_;
};

class FaultyFfts final : public device::FftFactory {
  public:
    explicit FaultyFfts(device::FftFactory& sound) : sound_(sound) {}

    std::unique_ptr<device::ColumnFfts> plan_column_ffts(
        const device::FourStepFft& shape) override {
        return std::make_unique<FaultyColumns>(sound_.plan_column_ffts(shape));
    }
    std::unique_ptr<device::RowFfts> plan_row_ffts(const device::FourStepFft& shape) override {
        return std::make_unique<FaultyRows>(sound_.plan_row_ffts(shape));
    }

    std::unique_ptr<device::FftPlan> plan_fft(const device::FftShape& shape) override {
        return sound_.plan_fft(shape);
    }
    std::unique_ptr<device::Transpose> plan_transpose(const device::FourStepFft& shape) override {
        return sound_.plan_transpose(shape);
    }
    std::unique_ptr<device::ScatterTile> plan_scatter_tile(
        const device::FourStepFft& shape) override {
        return sound_.plan_scatter_tile(shape);
    }
    std::unique_ptr<device::PartialRowFfts> plan_partial_row_ffts(
        const device::FourStepFft& shape) override {
        return sound_.plan_partial_row_ffts(shape);
    }
    [[nodiscard]] Bytes four_step_fft_memory(const device::FourStepFft& shape) const override {
        return sound_.four_step_fft_memory(shape);
    }
    std::unique_ptr<device::SingleRankFft> plan_single_rank_fft(
        const device::FourStepFft& shape) override {
        return sound_.plan_single_rank_fft(shape);
    }
    [[nodiscard]] std::optional<Bytes> single_rank_fft_memory(
        const device::FourStepFft& shape) const override {
        return sound_.single_rank_fft_memory(shape);
    }
    [[nodiscard]] std::string description() const override { return sound_.description(); }

  private:
    device::FftFactory& sound_;
};

}  // namespace

std::unique_ptr<device::FftFactory> make_faulty_ffts(device::FftFactory& sound) {
    return std::make_unique<FaultyFfts>(sound);
}

}  // namespace quartet::faults

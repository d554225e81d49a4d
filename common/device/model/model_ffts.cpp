#include "device/model/model_ffts.hpp"

#include <fmt/format.h>

#include "device/host/fft/host_ffts.hpp"
#include "device/host/runtime/require_host.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

constexpr double read_and_written = 2 * sizeof(Point);  // bytes of a point

double number(std::int64_t count) {
    return static_cast<double>(count);
}

class ModelFftPlan final : public FftPlan {
  public:
    explicit ModelFftPlan(Seconds time) : time_(time) {}
    void forward(View<const Point> /*input*/, View<Point> /*output*/, Stream& stream) override {
        ModelWork::enqueue(time_, "transforms", stream);
    }

  private:
    Seconds time_;
};

class ModelColumnFfts final : public ColumnFfts {
  public:
    ModelColumnFfts(const ModelWork& work, const FourStepFft& shape) : work_(work), shape_(shape) {}
    void run(View<const Point> tiles, View<double> parts, Stream& stream) override {
        require_host(tiles, shape_.input_points(), "column FFTs: tiles of another size");
        require_host(parts, shape_.parts_size(), "column FFTs: parts of another size");
        const Seconds time = work_.transforms(number(shape_.input_points()), number(shape_.length));
        ModelWork::enqueue(time, "column FFTs", stream);
    }
    [[nodiscard]] std::string description() const override { return "model"; }

  private:
    const ModelWork& work_;
    FourStepFft shape_;
};

class ModelRowFfts final : public RowFfts {
  public:
    ModelRowFfts(const ModelWork& work, const FourStepFft& shape) : work_(work), shape_(shape) {}
    void run(std::span<const View<const double>> /*parts*/, View<Point> bins,
             Stream& stream) override {
        require_host(bins, shape_.output_points(), "row FFTs: bins of another size");
        // Counts as the host does: the empty bins of a rank's last block with the others.
        const std::int64_t blocks = shape_.blocks_of(shape_.rank);
        const double points = number(blocks * FourStepFft::block_bins * shape_.tiles);
        const Seconds time = work_.transforms(points, number(shape_.tiles));
        ModelWork::enqueue(time, "row FFTs", stream);
    }
    [[nodiscard]] std::string description() const override { return "model"; }

  private:
    const ModelWork& work_;
    FourStepFft shape_;
};

class ModelTranspose final : public Transpose {
  public:
    explicit ModelTranspose(const ModelWork& work) : work_(work) {}
    void run(std::span<const View<const Point>> /*parts*/, View<Point> bins,
             Stream& stream) override {
        require_host(bins);
        ModelWork::enqueue(work_.traffic(read_and_written * number(bins.size())), "transpose",
                           stream);
    }

  private:
    const ModelWork& work_;
};

class ModelScatterTile final : public ScatterTile {
  public:
    explicit ModelScatterTile(const ModelWork& work) : work_(work) {}
    void run(std::int64_t /*tile*/, View<const double> blocks, View<double> parts,
             Stream& stream) override {
        require_host(blocks);
        require_host(parts);
        ModelWork::enqueue(work_.traffic(2 * number(blocks.bytes().value)), "scatter", stream);
    }

  private:
    const ModelWork& work_;
};

/// Has the groups that the host would make.
class ModelPartialRowFfts final : public PartialRowFfts {
  public:
    ModelPartialRowFfts(const ModelWork& work, const PartialRowFfts& host)
        : work_(work), members_(host.members()), summed_(host.summed()) {}
    [[nodiscard]] FourStepFft members() const override { return members_; }
    [[nodiscard]] FourStepFft summed() const override { return summed_; }
    void run(std::int64_t /*group*/, const Range& blocks, View<const double> members,
             View<double> summed, Stream& stream) override {
        require_host(members);
        require_host(summed);
        const double points = number(blocks.size() * FourStepFft::block_bins * members_.tiles);
        ModelWork::enqueue(work_.transforms(points, number(members_.tiles)), "partial row FFTs",
                           stream);
    }

  private:
    const ModelWork& work_;
    FourStepFft members_;
    FourStepFft summed_;
};

class ModelFftFactory final : public FftFactory {
  public:
    explicit ModelFftFactory(const ModelWork& work) : work_(work) {}

    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        check(shape.length >= 1 && shape.batch >= 0, "no such transform");
        return std::make_unique<ModelFftPlan>(
            work_.transforms(number(shape.length) * number(shape.batch), number(shape.length)));
    }
    std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& shape) override {
        require_valid(shape);
        return std::make_unique<ModelColumnFfts>(work_, shape);
    }
    std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& shape) override {
        require_valid(shape);
        return std::make_unique<ModelRowFfts>(work_, shape);
    }
    std::unique_ptr<Transpose> plan_transpose(const FourStepFft& shape) override {
        require_valid(shape);
        return std::make_unique<ModelTranspose>(work_);
    }
    std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& shape) override {
        require_valid(shape);
        return std::make_unique<ModelScatterTile>(work_);
    }
    std::unique_ptr<PartialRowFfts> plan_partial_row_ffts(const FourStepFft& shape) override {
        const auto host = plan_simd_partial_row_ffts(shape, {1, best_loops(), {}});
        return host ? std::make_unique<ModelPartialRowFfts>(work_, *host) : nullptr;
    }
    [[nodiscard]] Bytes four_step_fft_memory(const FourStepFft& /*shape*/) const override {
        return {};
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format("transforms at {:.4g} GFLOP/s", work_.rates().transforms / 1e9);
    }

  private:
    const ModelWork& work_;
};

}  // namespace

std::unique_ptr<FftFactory> make_model_fft_factory(const ModelWork& work) {
    return std::make_unique<ModelFftFactory>(work);
}

}  // namespace quartet::device

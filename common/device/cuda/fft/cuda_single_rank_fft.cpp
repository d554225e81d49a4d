#include "device/cuda/fft/cuda_ffts.hpp"

#include <algorithm>
#include <optional>

#include "device/cuda/fft/four_step_kernels.hpp"
#include "device/cuda/fft/multi_pass_fft.hpp"
#include "device/cuda/fft/twiddle_tables.hpp"
#include "device/cuda/runtime/batch_split.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

// Batches whose workspace is at most `most_workspace`.
BatchSplit batches_of(std::int64_t length, std::int64_t count, Bytes most_workspace) {
    return split_batch(count, most_workspace.value / bytes_of<Point>(length).value);
}

/// Transforms of one layout, in batches that bound the workspace.
class StridedBatches {
  public:
    /// `whole` is all of them; nothing is planned for a length of 1.
    StridedBatches(const StridedFft& whole, const FourStepFftTools& tools, Bytes most_workspace)
        : whole_(whole), split_(batches_of(whole.length, whole.batch, most_workspace)) {
        if (whole.length == 1)
            return;
        plan_ = plan(split_.each, tools);
        if (split_.last != split_.each)
            last_ = plan(split_.last, tools);
    }

    void run(const Point* from, Point* to, cudaStream_t stream) const {
        for (std::int64_t piece = 0; plan_ && piece < split_.pieces; ++piece) {
            const bool is_last = last_ && piece == split_.pieces - 1;
            const std::int64_t first = piece * split_.each * whole_.distance;
            (is_last ? *last_ : *plan_).run(from + first, to + first, stream);
        }
    }
    [[nodiscard]] std::int64_t at_once() const { return split_.each; }

  private:
    [[nodiscard]] std::unique_ptr<CudaStridedFft> plan(std::int64_t batch,
                                                       const FourStepFftTools& tools) const {
        return plan_cuda_strided_fft({whole_.length, batch, whole_.step, whole_.distance},
                                     tools.library, tools.memory);
    }

    StridedFft whole_;
    BatchSplit split_;
    std::unique_ptr<CudaStridedFft> plan_;
    std::unique_ptr<CudaStridedFft> last_;  ///< where the last piece is shorter
};

/// FFTs of the contiguous tiles by cuFFT, then factors and FFTs over the tiles in place, so that
/// bin k2 of column k1 ends in row k2: by our own passes, or by cuFFT and a kernel for the factors.
class CudaSingleRankFft final : public SingleRankFft {
  public:
    CudaSingleRankFft(const FourStepFft& shape, const FourStepFftTools& tools, Bytes most_workspace)
        : shape_(shape),
          tiles_({shape.length, shape.tiles, 1, shape.length}, tools, most_workspace) {
        if (shape.tiles == 1)
            return;
        if (const auto split = split_on_gpu(shape.tiles, shape.length)) {
            own_columns_.emplace(*split, tools.memory);
            return;
        }
        columns_.emplace(StridedFft{shape.tiles, shape.length, shape.length, 1}, tools,
                         most_workspace);
        twiddles_.emplace(shape.points(), tools.memory);
    }

    void run(View<const Point> tiles, View<Point> bins, Stream& stream) override {
        require_device(tiles, shape_.points(), "single-rank FFT: not the size of the tiles");
        require_device(bins, shape_.points(), "single-rank FFT: not the size of the result");
        require_same_or_apart(tiles, bins);
        stream.wait(used_);
        transform_tiles(tiles, bins, stream);
        if (shape_.tiles > 1)
            transform_columns(bins, stream);
        stream.record(used_);
    }
    [[nodiscard]] std::string description() const override {
        const std::string tiles = "cuFFT, " + std::to_string(tiles_.at_once()) + " tiles";
        if (own_columns_)
            return tiles + " at a time; " + own_columns_->description();
        return columns_
                   ? tiles + " and " + std::to_string(columns_->at_once()) + " columns at a time"
                   : tiles + " at a time";
    }

  private:
    void transform_tiles(View<const Point> tiles, View<Point> bins, Stream& stream) const {
        as_cuda(stream).launch(Phase::compute, "tiles", [&](cudaStream_t handle) {
            if (shape_.length > 1)
                tiles_.run(tiles.data(), bins.data(), handle);
            else if (tiles.data() != bins.data())
                cuda_check(cudaMemcpyAsync(bins.data(), tiles.data(),
                                           static_cast<std::size_t>(bins.bytes().value),
                                           cudaMemcpyDeviceToDevice, handle),
                           "cudaMemcpyAsync");
        });
    }
    void transform_columns(View<Point> bins, Stream& stream) {
        if (!own_columns_)
            as_cuda(stream).launch(Phase::compute, "factors", [&](cudaStream_t handle) {
                launch_twiddles({shape_.tiles, shape_.length}, twiddles_->view(),
                                as_pairs(bins.data()), handle);
            });
        as_cuda(stream).launch(Phase::merge, "sums", [&](cudaStream_t handle) {
            if (own_columns_)
                own_columns_->run(as_pairs(bins.data()), handle);
            else
                columns_->run(bins.data(), bins.data(), handle);
        });
    }

    FourStepFft shape_;
    StridedBatches tiles_;
    std::optional<MultiPassColumns> own_columns_;
    std::optional<StridedBatches> columns_;
    std::optional<TwiddleTables> twiddles_;
    CudaEvent used_;
};

/// All points as one tile, by our own passes.
class OwnWholeFft final : public SingleRankFft {
  public:
    OwnWholeFft(const FftSplit& split, CudaMemory& memory)
        : points_(std::int64_t{1} << split.points()), fft_(split, memory) {}

    void run(View<const Point> tiles, View<Point> bins, Stream& stream) override {
        require_device(tiles, points_, "single-rank FFT: not the size of the tiles");
        require_device(bins, points_, "single-rank FFT: not the size of the result");
        require_same_or_apart(tiles, bins);
        stream.wait(used_);
        as_cuda(stream).launch(Phase::compute, "passes", [&](cudaStream_t handle) {
            fft_.run(as_pairs(tiles.data()), as_pairs(bins.data()), handle);
        });
        stream.record(used_);
    }
    [[nodiscard]] std::string description() const override { return fft_.description(); }

  private:
    std::int64_t points_;
    MultiPassFft fft_;
    CudaEvent used_;
};

// cuFFT's workspace is about the size of what is done at once.
Bytes workspace(std::int64_t length, std::int64_t count) {
    const BatchSplit split = batches_of(length, count, default_fft_workspace);
    const std::int64_t at_once = split.each + (split.last != split.each ? split.last : 0);
    return std::max(kibibytes(2), bytes_of<Point>(at_once * length));
}

}  // namespace

std::unique_ptr<SingleRankFft> plan_cuda_single_rank_fft(const FourStepFft& shape,
                                                         const FourStepFftTools& tools,
                                                         Bytes most_workspace) {
    require_valid(shape);
    check(shape.ranks == 1, "single-rank FFT: for the tiles of one rank");
    if (const auto split = shape.tiles == 1 ? split_on_gpu(shape.length) : std::nullopt)
        return std::make_unique<OwnWholeFft>(*split, tools.memory);
    return std::make_unique<CudaSingleRankFft>(shape, tools, most_workspace);
}

Bytes cuda_single_rank_fft_memory(const FourStepFft& shape) {
    const Bytes tiles = workspace(shape.length, shape.tiles);
    if (shape.tiles > 1) {
        if (const auto split = split_on_gpu(shape.tiles, shape.length))
            return tiles + MultiPassColumns::memory(*split);
        return tiles + workspace(shape.tiles, shape.length) + TwiddleTables::memory(shape.points());
    }
    const auto split = split_on_gpu(shape.length);
    return split ? MultiPassFft::memory(*split) : tiles;
}

}  // namespace quartet::device

#include "device/cuda/fft/cuda_ffts.hpp"

#include <algorithm>
#include <string>

#include "core/peer_order.hpp"
#include "device/cuda/fft/four_step_kernels.hpp"
#include "device/cuda/fft/twiddle_tables.hpp"
#include "device/cuda/runtime/batch_split.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

Buffer<Point> points(std::int64_t count, CudaMemory& memory) {
    return {memory.allocate(bytes_of<Point>(count), MemoryKind::device), count};
}

/// Transforms of one length as a series of batches, each through temporary memory of its own size.
class Batches {
  public:
    /// How `count` transforms are split; `whole` of them stay together if they can.
    static BatchSplit split(std::int64_t length, std::int64_t count, std::int64_t whole) {
        const std::int64_t most =
            std::max<std::int64_t>(1, default_fft_workspace.value / bytes_of<Point>(length).value);
        BatchSplit batches = split_batch(count, most);
        if (batches.pieces > 1) {
            batches.each = (batches.each + whole - 1) / whole * whole;
            batches.pieces = (count + batches.each - 1) / batches.each;
            batches.last = count - (batches.pieces - 1) * batches.each;
        }
        return batches;
    }

    Batches(std::int64_t length, const BatchSplit& split, const FourStepFftTools& tools)
        : length_(length),
          split_(split),
          plan_(plan_cuda_fft({length, split.each}, tools.library, tools.memory)) {
        if (split.last != split.each)
            last_ = plan_cuda_fft({length, split.last}, tools.library, tools.memory);
    }

    [[nodiscard]] std::int64_t count() const { return split_.pieces; }
    [[nodiscard]] std::int64_t first(std::int64_t batch) const { return batch * split_.each; }
    [[nodiscard]] std::int64_t size(std::int64_t batch) const {
        return batch == split_.pieces - 1 ? split_.last : split_.each;
    }
    [[nodiscard]] std::int64_t most_points() const { return split_.each * length_; }
    void transform(std::int64_t batch, View<const Point> from, View<Point> to, Stream& stream) {
        FftPlan& plan = batch == split_.pieces - 1 && last_ ? *last_ : *plan_;
        plan.forward(from, to, stream);
    }
    [[nodiscard]] std::string description() const {
        return "cuFFT, batches of " + std::to_string(split_.each);
    }

  private:
    std::int64_t length_;
    BatchSplit split_;
    std::unique_ptr<FftPlan> plan_;
    std::unique_ptr<FftPlan> last_;
};

BatchSplit tile_batches(const FourStepFft& shape) {
    return Batches::split(shape.length, shape.my_tiles().size(), 1);
}

BatchSplit column_batches(const FourStepFft& shape) {
    return Batches::split(shape.tiles, shape.my_bins().size(), FourStepFft::block_bins);
}

class CudaColumnFfts final : public ColumnFfts {
  public:
    CudaColumnFfts(const FourStepFft& shape, const FourStepFftTools& tools)
        : shape_(shape),
          batches_(shape.length, tile_batches(shape), tools),
          twiddles_(shape.points(), tools.memory),
          transformed_(points(batches_.most_points(), tools.memory)) {}

    void run(View<const Point> tiles, View<double> parts, Stream& stream) override {
        require_device(tiles, shape_.input_points(), "column FFTs: not the size of the tiles");
        require_device(parts, shape_.parts_size(), "column FFTs: not the size of the parts");
        require_apart(tiles, parts);
        stream.wait(used_);
        for (std::int64_t batch = 0; batch < batches_.count(); ++batch) {
            const std::int64_t size = batches_.size(batch) * shape_.length;
            const auto transformed = transformed_.view().part(0, size);
            batches_.transform(batch, tiles.part(batches_.first(batch) * shape_.length, size),
                               transformed, stream);
            pack(batch, transformed, parts, stream);
        }
        stream.record(used_);
    }
    [[nodiscard]] std::string description() const override { return batches_.description(); }

  private:
    void pack(std::int64_t batch, View<const Point> transformed, View<double> parts,
              Stream& stream) const {
        std::int64_t before = 0;
        for (int to = 0; to < shape_.ranks; ++to) {
            const Range bins = shape_.bins_of(to);
            const PackShape pack_shape{batches_.size(batch),
                                       shape_.length,
                                       shape_.my_tiles().begin + batches_.first(batch),
                                       batches_.first(batch),
                                       shape_.my_tiles().size(),
                                       bins.begin,
                                       bins.size()};
            as_cuda(stream).launch(Phase::compute, "pack", [&](cudaStream_t handle) {
                launch_pack(pack_shape, twiddles_.view(), as_pairs(transformed.data()),
                            parts.data() + before, handle);
            });
            before += shape_.part_size(shape_.rank, to);
        }
    }

    FourStepFft shape_;
    Batches batches_;
    TwiddleTables twiddles_;
    Buffer<Point> transformed_;
    CudaEvent used_;
};

class CudaRowFfts final : public RowFfts {
  public:
    CudaRowFfts(const FourStepFft& shape, const FourStepFftTools& tools)
        : shape_(shape),
          batches_(shape.tiles, column_batches(shape), tools),
          gathered_(points(batches_.most_points(), tools.memory)),
          summed_(points(batches_.most_points(), tools.memory)) {}

    void run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) override;
    [[nodiscard]] std::string description() const override { return batches_.description(); }

  private:
    void gather(std::int64_t batch, std::span<const View<const double>> parts, Stream& stream);
    void scatter(std::int64_t batch, View<Point> bins, Stream& stream);

    FourStepFft shape_;
    Batches batches_;
    Buffer<Point> gathered_;  ///< [bin of the batch][t]
    Buffer<Point> summed_;    ///< [bin of the batch][k2]
    CudaEvent used_;
};

void CudaRowFfts::run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) {
    check(std::ssize(parts) == shape_.ranks, "row FFTs: not a part from each rank");
    for (int from = 0; from < shape_.ranks; ++from) {
        const View<const double>& part = parts[static_cast<std::size_t>(from)];
        require_device(part, shape_.part_size(from, shape_.rank),
                       "row FFTs: a part of another size");
        require_apart(part, bins);
    }
    require_device(bins, shape_.output_points(), "row FFTs: not the size of the result");
    stream.wait(used_);
    for (std::int64_t batch = 0; batch < batches_.count(); ++batch) {
        const std::int64_t size = batches_.size(batch) * shape_.tiles;
        gather(batch, parts, stream);
        batches_.transform(batch, std::as_const(gathered_).view().part(0, size),
                           summed_.view().part(0, size), stream);
        scatter(batch, bins, stream);
    }
    stream.record(used_);
}

void CudaRowFfts::gather(std::int64_t batch, std::span<const View<const double>> parts,
                         Stream& stream) {
    for (int step = 0; step < shape_.ranks; ++step) {
        const int from = peer_at_step(step, shape_.rank, shape_.ranks);
        const Range tiles = shape_.tiles_of(from);
        const UnpackShape unpack_shape{batches_.first(batch), batches_.size(batch), tiles.begin,
                                       tiles.size(), shape_.tiles};
        const double* part = parts[static_cast<std::size_t>(from)].data();
        as_cuda(stream).launch(Phase::merge, "gather", [&](cudaStream_t handle) {
            launch_unpack(unpack_shape, part, as_pairs(gathered_.view().data()), handle);
        });
    }
}

void CudaRowFfts::scatter(std::int64_t batch, View<Point> bins, Stream& stream) {
    const TransposeShape transpose_shape{shape_.tiles, batches_.size(batch), batches_.first(batch),
                                         shape_.my_bins().size()};
    as_cuda(stream).launch(Phase::merge, "scatter", [&](cudaStream_t handle) {
        launch_transpose(transpose_shape, as_pairs(summed_.view().data()), as_pairs(bins.data()),
                         handle);
    });
}

class CudaTranspose final : public Transpose {
  public:
    explicit CudaTranspose(const FourStepFft& shape)
        : shape_(shape), mine_(block_range(shape.points(), shape.ranks, shape.rank)) {}

    void run(std::span<const View<const Point>> parts, View<Point> bins, Stream& stream) override {
        check(std::ssize(parts) == shape_.ranks, "transpose: not a part from each rank");
        for (int from = 0; from < shape_.ranks; ++from) {
            const View<const Point>& part = parts[static_cast<std::size_t>(from)];
            require_device(part, natural_part_points(shape_, from, shape_.rank),
                           "transpose: a part of another size");
            require_apart(part, bins);
        }
        require_device(bins, mine_.size(), "transpose: not the size of the result");
        for (int step = 0; step < shape_.ranks; ++step) {
            const int from = peer_at_step(step, shape_.rank, shape_.ranks);
            copy_part(from, parts[static_cast<std::size_t>(from)], bins, stream);
        }
    }

  private:
    void copy_part(int from, View<const Point> part, View<Point> bins, Stream& stream) const {
        if (part.empty())
            return;
        const Range columns = shape_.bins_of(from);
        const NaturalOrderShape order_shape{{columns.begin, columns.size(), shape_.length},
                                            bins_below(shape_, from, mine_.begin),
                                            part.size(),
                                            mine_.begin};
        as_cuda(stream).launch(Phase::merge, "natural", [&](cudaStream_t handle) {
            launch_natural_order(order_shape, as_pairs(part.data()), as_pairs(bins.data()), handle);
        });
    }

    FourStepFft shape_;
    Range mine_;
};

}  // namespace

static_assert(fft_block_bins == FourStepFft::block_bins);

std::unique_ptr<ColumnFfts> plan_cuda_column_ffts(const FourStepFft& shape,
                                                  const FourStepFftTools& tools) {
    require_valid(shape);
    return std::make_unique<CudaColumnFfts>(shape, tools);
}

std::unique_ptr<RowFfts> plan_cuda_row_ffts(const FourStepFft& shape,
                                            const FourStepFftTools& tools) {
    require_valid(shape);
    return std::make_unique<CudaRowFfts>(shape, tools);
}

std::unique_ptr<Transpose> plan_cuda_transpose(const FourStepFft& shape) {
    require_valid(shape);
    return std::make_unique<CudaTranspose>(shape);
}

Bytes cuda_four_step_fft_memory(const FourStepFft& shape) {
    require_valid(shape);
    const Bytes tiles = bytes_of<Point>(tile_batches(shape).each * shape.length);
    const Bytes columns = bytes_of<Point>(column_batches(shape).each * shape.tiles);
    // If the last batch has another size, it has its own workspace.
    const Bytes last = bytes_of<Point>(tile_batches(shape).last * shape.length) +
                       bytes_of<Point>(column_batches(shape).last * shape.tiles);
    return 2 * tiles + 3 * columns + last + 2 * TwiddleTables::memory(shape.points());
}

}  // namespace quartet::device

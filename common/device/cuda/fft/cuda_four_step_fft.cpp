#include "device/cuda/fft/cuda_four_step_fft.hpp"

#include <algorithm>
#include <string>

#include "device/cuda/fft/cuda_fft.hpp"
#include "device/cuda/fft/four_step_kernels.hpp"
#include "device/cuda/fft/twiddle_tables.hpp"
#include "device/cuda/runtime/batch_split.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

const double2* as_pairs(const Point* points) {
    return reinterpret_cast<const double2*>(points);
}
double2* as_pairs(Point* points) {
    return reinterpret_cast<double2*>(points);
}

Buffer<Point> points(std::int64_t count, CudaMemory& memory) {
    return {memory.allocate(bytes_of<Point>(count), MemoryKind::device), count};
}

/// Transforms of one length as a series of batches, each through temporary memory of its own size.
class Batches {
  public:
    /// How `count` transforms are split; `whole` of them stay together where they can.
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

BatchSplit tile_batches(const FourStepFft& split) {
    return Batches::split(split.length, split.my_tiles().size(), 1);
}

BatchSplit column_batches(const FourStepFft& split) {
    return Batches::split(split.tiles, split.my_bins().size(), FourStepFft::cell_bins);
}

class CudaColumnFfts final : public ColumnFfts {
  public:
    CudaColumnFfts(const FourStepFft& split, const FourStepFftTools& tools)
        : split_(split),
          batches_(split.length, tile_batches(split), tools),
          roots_(split.points(), tools.memory),
          transformed_(points(batches_.most_points(), tools.memory)) {}

    void run(View<const Point> tiles, View<double> parts, Stream& stream) override {
        require_device(tiles, split_.input_points(), "tile pass: not the size of the tiles");
        require_device(parts, split_.parts_size(), "tile pass: not the size of the parts");
        require_apart(tiles, parts);
        stream.wait(used_);
        for (std::int64_t batch = 0; batch < batches_.count(); ++batch) {
            const std::int64_t size = batches_.size(batch) * split_.length;
            const auto transformed = transformed_.view().part(0, size);
            batches_.transform(batch, tiles.part(batches_.first(batch) * split_.length, size),
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
        for (int to = 0; to < split_.ranks; ++to) {
            const Range bins = split_.bins_of(to);
            const PackShape shape{batches_.size(batch),
                                  split_.length,
                                  split_.my_tiles().begin + batches_.first(batch),
                                  batches_.first(batch),
                                  split_.my_tiles().size(),
                                  bins.begin,
                                  bins.size()};
            as_cuda(stream).launch(Phase::compute, "pack", [&](cudaStream_t handle) {
                launch_pack(shape, roots_.tables(), as_pairs(transformed.data()),
                            parts.data() + before, handle);
            });
            before += split_.part_size(split_.rank, to);
        }
    }

    FourStepFft split_;
    Batches batches_;
    CudaRoots roots_;
    Buffer<Point> transformed_;
    CudaEvent used_;
};

class CudaRowFfts final : public RowFfts {
  public:
    CudaRowFfts(const FourStepFft& split, const FourStepFftTools& tools)
        : split_(split),
          batches_(split.tiles, column_batches(split), tools),
          gathered_(points(batches_.most_points(), tools.memory)),
          summed_(points(batches_.most_points(), tools.memory)) {}

    void run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) override;
    [[nodiscard]] std::string description() const override { return batches_.description(); }

  private:
    void gather(std::int64_t batch, std::span<const View<const double>> parts, Stream& stream);
    void scatter(std::int64_t batch, View<Point> bins, Stream& stream);

    FourStepFft split_;
    Batches batches_;
    Buffer<Point> gathered_;  ///< [bin of the batch][t]
    Buffer<Point> summed_;    ///< [bin of the batch][k2]
    CudaEvent used_;
};

void CudaRowFfts::run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) {
    check(std::ssize(parts) == split_.ranks, "combine pass: not a part from each rank");
    for (int from = 0; from < split_.ranks; ++from) {
        const View<const double>& part = parts[static_cast<std::size_t>(from)];
        require_device(part, split_.part_size(from, split_.rank),
                       "combine pass: a part of another size");
        require_apart(part, bins);
    }
    require_device(bins, split_.output_points(), "combine pass: not the size of the result");
    stream.wait(used_);
    for (std::int64_t batch = 0; batch < batches_.count(); ++batch) {
        const std::int64_t size = batches_.size(batch) * split_.tiles;
        gather(batch, parts, stream);
        batches_.transform(batch, std::as_const(gathered_).view().part(0, size),
                           summed_.view().part(0, size), stream);
        scatter(batch, bins, stream);
    }
    stream.record(used_);
}

void CudaRowFfts::gather(std::int64_t batch, std::span<const View<const double>> parts,
                         Stream& stream) {
    for (int from = 0; from < split_.ranks; ++from) {
        const Range tiles = split_.tiles_of(from);
        const UnpackShape shape{batches_.first(batch), batches_.size(batch), tiles.begin,
                                tiles.size(), split_.tiles};
        const double* part = parts[static_cast<std::size_t>(from)].data();
        as_cuda(stream).launch(Phase::merge, "gather", [&](cudaStream_t handle) {
            launch_unpack(shape, part, as_pairs(gathered_.view().data()), handle);
        });
    }
}

void CudaRowFfts::scatter(std::int64_t batch, View<Point> bins, Stream& stream) {
    const TransposeShape shape{split_.tiles, batches_.size(batch), batches_.first(batch),
                               split_.my_bins().size()};
    as_cuda(stream).launch(Phase::merge, "scatter", [&](cudaStream_t handle) {
        launch_transpose(shape, as_pairs(summed_.view().data()), as_pairs(bins.data()), handle);
    });
}

class CudaTranspose final : public Transpose {
  public:
    explicit CudaTranspose(const FourStepFft& split)
        : split_(split), mine_(block_range(split.points(), split.ranks, split.rank)) {}

    void run(std::span<const View<const Point>> parts, View<Point> bins, Stream& stream) override {
        check(std::ssize(parts) == split_.ranks, "natural pass: not a part from each rank");
        for (int from = 0; from < split_.ranks; ++from) {
            const View<const Point>& part = parts[static_cast<std::size_t>(from)];
            require_device(part, natural_part_points(split_, from, split_.rank),
                           "natural pass: a part of another size");
            require_apart(part, bins);
        }
        require_device(bins, mine_.size(), "natural pass: not the size of the result");
        for (int from = 0; from < split_.ranks; ++from)
            place(from, parts[static_cast<std::size_t>(from)], bins, stream);
    }

  private:
    void place(int from, View<const Point> part, View<Point> bins, Stream& stream) const {
        if (part.empty())
            return;
        const Range columns = split_.bins_of(from);
        const NaturalShape shape{{columns.begin, columns.size(), split_.length},
                                 bins_below(split_, from, mine_.begin),
                                 part.size(),
                                 mine_.begin};
        as_cuda(stream).launch(Phase::merge, "natural", [&](cudaStream_t handle) {
            launch_natural(shape, as_pairs(part.data()), as_pairs(bins.data()), handle);
        });
    }

    FourStepFft split_;
    Range mine_;
};

class CudaScatterTile final : public ScatterTile {
  public:
    CudaScatterTile(const FourStepFft& split, const FourStepFftTools& tools)
        : split_(split), roots_(split.points(), tools.memory) {
        check(split.ranks == 1, "place pass: for the tiles of one rank");
    }

    void run(std::int64_t tile, View<const double> cells, View<double> parts,
             Stream& stream) override {
        check(tile >= 0 && tile < split_.tiles, "place pass: no such tile");
        require_device(cells, split_.cells_of(0) * FourStepFft::cell_size,
                       "place pass: not the size of a tile's cells");
        require_device(parts, split_.parts_size(), "place pass: not the size of all cells");
        require_apart(cells, parts);
        as_cuda(stream).launch(Phase::merge, "place", [&](cudaStream_t handle) {
            launch_place({tile, split_.tiles, split_.length}, roots_.tables(), cells.data(),
                         parts.data(), handle);
        });
    }

  private:
    FourStepFft split_;
    CudaRoots roots_;
};

}  // namespace

static_assert(fft_cell_bins == FourStepFft::cell_bins);

std::unique_ptr<ColumnFfts> plan_cuda_column_ffts(const FourStepFft& split,
                                                  const FourStepFftTools& tools) {
    require_valid(split);
    return std::make_unique<CudaColumnFfts>(split, tools);
}

std::unique_ptr<RowFfts> plan_cuda_row_ffts(const FourStepFft& split,
                                            const FourStepFftTools& tools) {
    require_valid(split);
    return std::make_unique<CudaRowFfts>(split, tools);
}

std::unique_ptr<Transpose> plan_cuda_transpose(const FourStepFft& split) {
    require_valid(split);
    return std::make_unique<CudaTranspose>(split);
}

std::unique_ptr<ScatterTile> plan_cuda_scatter_tile(const FourStepFft& split,
                                                    const FourStepFftTools& tools) {
    require_valid(split);
    return std::make_unique<CudaScatterTile>(split, tools);
}

Bytes cuda_four_step_fft_memory(const FourStepFft& split) {
    require_valid(split);
    const Bytes tiles = bytes_of<Point>(tile_batches(split).each * split.length);
    const Bytes columns = bytes_of<Point>(column_batches(split).each * split.tiles);
    // A last batch of another size has a workspace of its own.
    const Bytes last = bytes_of<Point>(tile_batches(split).last * split.length) +
                       bytes_of<Point>(column_batches(split).last * split.tiles);
    return 2 * tiles + 3 * columns + last + 2 * CudaRoots::memory(split.points());
}

}  // namespace quartet::device

#include "device/host/fft/host_ffts.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/host_stream.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

Buffer<Point> points(std::int64_t count, int threads) {
    return {allocate_host_memory(bytes_of<Point>(count), MemoryKind::host, threads), count};
}

// Written out: the operator of std::complex looks for infinities.
Point product(const Point& a, const Point& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

class ScalarColumnFfts final : public ColumnFfts {
  public:
    ScalarColumnFfts(const FourStepFft& shape, int threads)
        : shape_(shape),
          threads_(threads),
          twiddles_(shape.points()),
          plan_(plan_host_fft({shape.length, shape.my_tiles().size()}, threads)),
          transformed_(points(shape.input_points(), threads)) {}

    [[nodiscard]] std::string description() const override { return host_fft_description(); }
    void run(View<const Point> tiles, View<double> parts, Stream& stream) override {
        require_host(parts, shape_.parts_size(), "column FFTs: not the size of this rank's parts");
        require_apart(tiles, parts);
        plan_->forward(tiles, transformed_.view(), stream);
        const auto work = [this, from = transformed_.view().data(), to = parts.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range mine = block_range(shape_.my_tiles().size(), threads_, thread);
                for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                    scatter(tile, from + tile * shape_.length, to);
            });
        };
        stream.enqueue(Phase::compute, "place", work);
    }

  private:
    void scatter(std::int64_t tile, const Point* bins, double* parts) const {
        const std::int64_t tiles = shape_.my_tiles().size();
        const auto t = static_cast<std::uint64_t>(shape_.my_tiles().begin + tile);
        for (int to = 0; to < shape_.ranks; ++to) {
            const Range range = shape_.bins_of(to);
            for (std::int64_t k1 = range.begin; k1 < range.end; ++k1) {
                const std::int64_t bin = k1 - range.begin;
                double* block = parts + block_index(bin / FourStepFft::block_bins, tile, tiles) *
                                            FourStepFft::block_size;
                const Point value =
                    product(bins[k1], twiddles_(t * static_cast<std::uint64_t>(k1)));
                block[bin % FourStepFft::block_bins] = value.real();
                block[FourStepFft::block_bins + bin % FourStepFft::block_bins] = value.imag();
            }
            parts += shape_.part_size(shape_.rank, to);
        }
    }

    FourStepFft shape_;
    int threads_;
    RootsOfUnity twiddles_;  ///< powers of w_N
    std::unique_ptr<FftPlan> plan_;
    Buffer<Point> transformed_;
};

class ScalarRowFfts final : public RowFfts {
  public:
    ScalarRowFfts(const FourStepFft& shape, int threads)
        : shape_(shape),
          threads_(
              static_cast<int>(std::clamp<std::int64_t>(shape.blocks_of(shape.rank), 1, threads))),
          gathered_(points(threads_ * row_points(), threads)),
          summed_(points(threads_ * row_points(), threads)) {
        // A plan for each thread, done at once by the thread that calls it.
        for (int thread = 0; thread < threads_; ++thread) {
            plans_.push_back(plan_host_fft({shape.tiles, FourStepFft::block_bins}, 1));
            tracks_.emplace_back("column", 0);
            streams_.push_back(make_host_stream(HostStreams::inline_call, tracks_.back()));
        }
    }

    [[nodiscard]] std::string description() const override { return host_fft_description(); }
    void run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) override {
        check(std::ssize(parts) == shape_.ranks, "row FFTs: not a part from each rank");
        for (int from = 0; from < shape_.ranks; ++from) {
            const View<const double>& part = parts[static_cast<std::size_t>(from)];
            require_host(part, shape_.part_size(from, shape_.rank),
                         "row FFTs: a part of another size");
            require_apart(part, bins);
        }
        require_host(bins, shape_.output_points(), "row FFTs: not the size of the result");
        const auto work = [this, parts, to = bins.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range blocks = block_range(shape_.blocks_of(shape_.rank), threads_, thread);
                for (std::int64_t block = blocks.begin; block < blocks.end; ++block)
                    transform_block(block, thread, parts, to);
            });
        };
        stream.enqueue(Phase::merge, "combine", work);
    }

  private:
    [[nodiscard]] std::int64_t row_points() const { return FourStepFft::block_bins * shape_.tiles; }

    void transform_block(std::int64_t block, int thread, std::span<const View<const double>> parts,
                         Point* bins) {
        const View<Point> gathered = gathered_.view().part(thread * row_points(), row_points());
        const View<Point> summed = summed_.view().part(thread * row_points(), row_points());
        for (int from = 0; from < shape_.ranks; ++from) {
            const Range tiles = shape_.tiles_of(from);
            const double* source = parts[static_cast<std::size_t>(from)].data() +
                                   block_index(block, 0, tiles.size()) * FourStepFft::block_size;
            for (std::int64_t t = tiles.begin; t < tiles.end;
                 ++t, source += FourStepFft::block_size)
                for (std::int64_t bin = 0; bin < FourStepFft::block_bins; ++bin)
                    gathered.data()[bin * shape_.tiles + t] = {
                        source[bin], source[FourStepFft::block_bins + bin]};
        }
        const auto index = static_cast<std::size_t>(thread);
        plans_[index]->forward(gathered, summed, *streams_[index]);
        const std::int64_t columns = shape_.my_bins().size();
        const std::int64_t first = block * FourStepFft::block_bins;
        const std::int64_t count = std::min(columns - first, FourStepFft::block_bins);
        for (std::int64_t k2 = 0; k2 < shape_.tiles; ++k2)
            for (std::int64_t bin = 0; bin < count; ++bin)
                bins[k2 * columns + first + bin] = summed.data()[bin * shape_.tiles + k2];
    }

    FourStepFft shape_;
    int threads_;
    std::deque<Track> tracks_;  ///< not in the trace: run() has one span of its own
    Buffer<Point> gathered_;    ///< by thread, [bin of the block][t]
    Buffer<Point> summed_;      ///< by thread, [bin of the block][k2]
    std::vector<std::unique_ptr<FftPlan>> plans_;
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace

std::unique_ptr<ColumnFfts> plan_scalar_column_ffts(const FourStepFft& shape, int threads) {
    return std::make_unique<ScalarColumnFfts>(shape, threads);
}

std::unique_ptr<RowFfts> plan_scalar_row_ffts(const FourStepFft& shape, int threads) {
    return std::make_unique<ScalarRowFfts>(shape, threads);
}

Bytes scalar_column_ffts_memory(const FourStepFft& shape) {
    return bytes_of<Point>(shape.input_points()) + bytes_of<Point>(shape.length) +
           Bytes{RootsOfUnity::table_bytes(shape.points())};
}

Bytes scalar_row_ffts_memory(const FourStepFft& shape, int threads) {
    return std::int64_t{2} * threads * bytes_of<Point>(FourStepFft::block_bins * shape.tiles) +
           bytes_of<Point>(shape.tiles);
}

}  // namespace quartet::device

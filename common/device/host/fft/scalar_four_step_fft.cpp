#include "device/host/fft/scalar_four_step_fft.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/host_fft.hpp"
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
    ScalarColumnFfts(const FourStepFft& split, int threads)
        : split_(split),
          threads_(threads),
          roots_(split.points()),
          plan_(plan_host_fft({split.length, split.my_tiles().size()}, threads)),
          transformed_(points(split.input_points(), threads)) {}

    [[nodiscard]] std::string description() const override { return host_fft_description(); }
    void run(View<const Point> tiles, View<double> parts, Stream& stream) override {
        require_host(parts, split_.parts_size(), "tile pass: not the size of this rank's parts");
        require_apart(tiles, parts);
        plan_->forward(tiles, transformed_.view(), stream);
        const auto work = [this, from = transformed_.view().data(), to = parts.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range mine = block_range(split_.my_tiles().size(), threads_, thread);
                for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                    place(tile, from + tile * split_.length, to);
            });
        };
        stream.enqueue(Phase::compute, "place", work);
    }

  private:
    void place(std::int64_t tile, const Point* bins, double* parts) const {
        const std::int64_t tiles = split_.my_tiles().size();
        const auto t = static_cast<std::uint64_t>(split_.my_tiles().begin + tile);
        for (int to = 0; to < split_.ranks; ++to) {
            const Range range = split_.bins_of(to);
            for (std::int64_t k1 = range.begin; k1 < range.end; ++k1) {
                const std::int64_t bin = k1 - range.begin;
                double* cell = parts + cell_index(bin / FourStepFft::cell_bins, tile, tiles) *
                                           FourStepFft::cell_size;
                const Point value = product(bins[k1], roots_(t * static_cast<std::uint64_t>(k1)));
                cell[bin % FourStepFft::cell_bins] = value.real();
                cell[FourStepFft::cell_bins + bin % FourStepFft::cell_bins] = value.imag();
            }
            parts += split_.part_size(split_.rank, to);
        }
    }

    FourStepFft split_;
    int threads_;
    RootsOfUnity roots_;
    std::unique_ptr<FftPlan> plan_;
    Buffer<Point> transformed_;
};

class ScalarRowFfts final : public RowFfts {
  public:
    ScalarRowFfts(const FourStepFft& split, int threads)
        : split_(split),
          threads_(
              static_cast<int>(std::clamp<std::int64_t>(split.cells_of(split.rank), 1, threads))),
          gathered_(points(threads_ * column_points(), threads)),
          summed_(points(threads_ * column_points(), threads)) {
        // A plan for each thread, done at once by the thread that calls it.
        for (int thread = 0; thread < threads_; ++thread) {
            plans_.push_back(plan_host_fft({split.tiles, FourStepFft::cell_bins}, 1));
            tracks_.emplace_back("column", 0);
            streams_.push_back(make_host_stream(HostStreams::inline_call, tracks_.back()));
        }
    }

    [[nodiscard]] std::string description() const override { return host_fft_description(); }
    void run(std::span<const View<const double>> parts, View<Point> bins, Stream& stream) override {
        check(std::ssize(parts) == split_.ranks, "combine pass: not a part from each rank");
        for (int from = 0; from < split_.ranks; ++from) {
            const View<const double>& part = parts[static_cast<std::size_t>(from)];
            require_host(part, split_.part_size(from, split_.rank),
                         "combine pass: a part of another size");
            require_apart(part, bins);
        }
        require_host(bins, split_.output_points(), "combine pass: not the size of the result");
        const auto work = [this, parts, to = bins.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range cells = block_range(split_.cells_of(split_.rank), threads_, thread);
                for (std::int64_t cell = cells.begin; cell < cells.end; ++cell)
                    combine(cell, thread, parts, to);
            });
        };
        stream.enqueue(Phase::merge, "combine", work);
    }

  private:
    [[nodiscard]] std::int64_t column_points() const {
        return FourStepFft::cell_bins * split_.tiles;
    }

    void combine(std::int64_t cell, int thread, std::span<const View<const double>> parts,
                 Point* bins) {
        const View<Point> gathered =
            gathered_.view().part(thread * column_points(), column_points());
        const View<Point> summed = summed_.view().part(thread * column_points(), column_points());
        for (int from = 0; from < split_.ranks; ++from) {
            const Range tiles = split_.tiles_of(from);
            const double* source = parts[static_cast<std::size_t>(from)].data() +
                                   cell_index(cell, 0, tiles.size()) * FourStepFft::cell_size;
            for (std::int64_t t = tiles.begin; t < tiles.end; ++t, source += FourStepFft::cell_size)
                for (std::int64_t bin = 0; bin < FourStepFft::cell_bins; ++bin)
                    gathered.data()[bin * split_.tiles + t] = {
                        source[bin], source[FourStepFft::cell_bins + bin]};
        }
        const auto index = static_cast<std::size_t>(thread);
        plans_[index]->forward(gathered, summed, *streams_[index]);
        const std::int64_t columns = split_.my_bins().size();
        const std::int64_t first = cell * FourStepFft::cell_bins;
        const std::int64_t count = std::min(columns - first, FourStepFft::cell_bins);
        for (std::int64_t k2 = 0; k2 < split_.tiles; ++k2)
            for (std::int64_t bin = 0; bin < count; ++bin)
                bins[k2 * columns + first + bin] = summed.data()[bin * split_.tiles + k2];
    }

    FourStepFft split_;
    int threads_;
    std::deque<Track> tracks_;  ///< of the columns: the pass is accounted as a whole
    Buffer<Point> gathered_;    ///< by thread, [bin of the cell][t]
    Buffer<Point> summed_;      ///< by thread, [bin of the cell][k2]
    std::vector<std::unique_ptr<FftPlan>> plans_;
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace

std::unique_ptr<ColumnFfts> plan_scalar_column_ffts(const FourStepFft& split, int threads) {
    return std::make_unique<ScalarColumnFfts>(split, threads);
}

std::unique_ptr<RowFfts> plan_scalar_row_ffts(const FourStepFft& split, int threads) {
    return std::make_unique<ScalarRowFfts>(split, threads);
}

Bytes scalar_column_ffts_memory(const FourStepFft& split) {
    return bytes_of<Point>(split.input_points()) + bytes_of<Point>(split.length) +
           Bytes{RootsOfUnity::table_bytes(split.points())};
}

Bytes scalar_row_ffts_memory(const FourStepFft& split, int threads) {
    return 2 * threads * bytes_of<Point>(FourStepFft::cell_bins * split.tiles) +
           bytes_of<Point>(split.tiles);
}

}  // namespace quartet::device

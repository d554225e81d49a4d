#include <algorithm>
#include <cstring>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/host_ffts.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t chunk = 64;  // blocks whose roots are looked up at a time

/// The twiddle of bin 8 b + l of tile t is w_N^(8 b t) w_N^(l t), the latter the same in all
/// blocks.
class HostScatterTile final : public ScatterTile {
  public:
    HostScatterTile(const FourStepFft& shape, const HostFftSettings& settings)
        : shape_(shape),
          threads_(settings.threads),
          loops_(settings.loops.ffts),
          past_caches_(bytes_of<double>(shape.parts_size()) > settings.caches),
          twiddles_(shape.points()) {
        check(shape.ranks == 1, "scatter tile: for the tiles of one rank");
    }

    void run(std::int64_t tile, View<const double> blocks, View<double> parts,
             Stream& stream) override {
        check(tile >= 0 && tile < shape_.tiles, "scatter tile: no such tile");
        require_host(blocks, shape_.blocks_of(0) * FourStepFft::block_size,
                     "scatter tile: not the size of a tile's blocks");
        require_host(parts, shape_.parts_size(), "scatter tile: not the size of all blocks");
        require_apart(blocks, parts);
        const auto work = [this, tile, from = blocks.data(), to = parts.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range mine = block_range(shape_.blocks_of(0), threads_, thread);
                scatter(tile, mine, from, to);
                loops_.finish_past_caches();
            });
        };
        stream.enqueue(Phase::merge, "place", work);
    }

  private:
    void scatter(std::int64_t tile, const Range& range, const double* from, double* to) const {
        constexpr std::int64_t lanes = FourStepFft::block_bins;
        const auto t = static_cast<std::uint64_t>(tile);
        double within[FourStepFft::block_size];
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const auto root =
                twiddles_.of_product(t, static_cast<std::uint64_t>(lane) %
                                            static_cast<std::uint64_t>(twiddles_.order()));
            within[lane] = root.real();
            within[lanes + lane] = root.imag();
        }
        double roots[2 * chunk];
        for (std::int64_t begin = range.begin; begin < range.end; begin += chunk) {
            const std::int64_t count = std::min(chunk, range.end - begin);
            for (std::int64_t index = 0; index < count; ++index) {
                // Below N, as t < T and the block's first bin is below M.
                const auto root =
                    twiddles_(t * static_cast<std::uint64_t>((begin + index) * lanes));
                roots[2 * index] = root.real();
                roots[2 * index + 1] = root.imag();
            }
            loops_.scatter(from + begin * FourStepFft::block_size, count, within, roots,
                           to + block_index(begin, tile, shape_.tiles) * FourStepFft::block_size,
                           shape_.tiles * FourStepFft::block_size, past_caches_);
        }
    }

    FourStepFft shape_;
    int threads_;
    const FftLoops& loops_;
    bool past_caches_;       ///< the parts do not stay in the caches until they are read
    RootsOfUnity twiddles_;  ///< powers of w_N
};

using Point = std::complex<double>;

/// In each row k2 of the result, the k1 of each rank are contiguous: one copy for each.
class HostTranspose final : public Transpose {
  public:
    HostTranspose(const FourStepFft& shape, int threads)
        : shape_(shape),
          mine_(block_range(shape.points(), shape.ranks, shape.rank)),
          threads_(threads) {}

    void run(std::span<const View<const Point>> parts, View<Point> bins, Stream& stream) override;

  private:
    void copy_rows(const Range& rows, std::span<const View<const Point>> parts, Point* bins) const;

    FourStepFft shape_;
    Range mine_;
    int threads_;
};

void HostTranspose::run(std::span<const View<const Point>> parts, View<Point> bins,
                        Stream& stream) {
    check(std::ssize(parts) == shape_.ranks, "transpose: not a part from each rank");
    for (int from = 0; from < shape_.ranks; ++from) {
        const View<const Point>& part = parts[static_cast<std::size_t>(from)];
        require_host(part, natural_part_points(shape_, from, shape_.rank),
                     "transpose: a part of another size");
        require_apart(part, bins);
    }
    require_host(bins, mine_.size(), "transpose: not the size of the result");
    const auto work = [this, parts, to = bins.data()] {
        const std::int64_t first = mine_.begin / shape_.length;
        const std::int64_t rows = (mine_.end + shape_.length - 1) / shape_.length - first;
        system::parallel_parts(threads_, [=, this](int thread) {
            const Range share = block_range(rows, threads_, thread);
            copy_rows({first + share.begin, first + share.end}, parts, to);
        });
    };
    stream.enqueue(Phase::merge, "natural", work);
}

void HostTranspose::copy_rows(const Range& rows, std::span<const View<const Point>> parts,
                              Point* bins) const {
    for (int from = 0; from < shape_.ranks; ++from) {
        const Range columns = shape_.bins_of(from);
        const Point* part = parts[static_cast<std::size_t>(from)].data();
        const std::int64_t before = bins_below(shape_, from, mine_.begin);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t origin = row * shape_.length;
            const std::int64_t begin = std::max(origin + columns.begin, mine_.begin);
            const std::int64_t end = std::min(origin + columns.end, mine_.end);
            if (begin < end)
                std::memcpy(bins + (begin - mine_.begin),
                            part + (bins_below(shape_, from, begin) - before),
                            static_cast<std::size_t>(end - begin) * sizeof(Point));
        }
    }
}

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
        require_valid(shape);
        return std::make_unique<HostTranspose>(shape, settings_.threads);
    }
    std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& shape) override {
        require_valid(shape);
        return std::make_unique<HostScatterTile>(shape, settings_);
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

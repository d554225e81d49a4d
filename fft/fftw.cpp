#include <fftw3.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "device/host/loops/loops.hpp"
#include "fft/host_fft.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t bins_of_block = FourStepFft::block_bins;
constexpr std::int64_t doubles_of_block = FourStepFft::block_size;

// std::complex and fftw_complex have the same layout; FFTW keeps the input, as it was planned to.
fftw_complex* as_fftw(const Point* points) {
    return reinterpret_cast<fftw_complex*>(const_cast<Point*>(points));
}

/// `batch` transforms of `length` points, one after another in memory, for several threads at once.
class FftwPlan {
  public:
    // Estimated, not measured: what FFTW measures differs from run to run, and so would the plan
    // and the bits of the result. Aligned: FFTW_UNALIGNED was measured to cost up to 45%. Only the
    // alignment of the arrays counts: an estimating planner neither reads nor writes them.
    FftwPlan(device::Arena& arena, std::int64_t length, std::int64_t batch) {
        arena.reserve(bytes_of<Point>(length));  // of FFTW; awkward lengths may take as much again
        if (arena.plans())
            return;
        alignas(64) fftw_complex input[4];
        alignas(64) fftw_complex output[4];
        const fftw_iodim64 transform{length, 1, 1};
        const fftw_iodim64 several{batch, length, length};
        plan_.reset(fftw_plan_guru64_dft(1, &transform, 1, &several, input, output, FFTW_FORWARD,
                                         FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
        check(plan_ != nullptr, "FFTW cannot plan this transform");
    }
    void run(const Point* from, Point* to) const {
        fftw_execute_dft(plan_.get(), as_fftw(from), as_fftw(to));
    }

  private:
    struct Destroy {
        void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
    };
    std::unique_ptr<std::remove_pointer_t<fftw_plan>, Destroy> plan_;
};

/// Points for each thread.
std::vector<device::Buffer<Point>> points_by_thread(device::Arena& arena, std::int64_t threads,
                                                    std::int64_t points) {
    std::vector<device::Buffer<Point>> all;
    for (std::int64_t thread = 0; thread < threads; ++thread)
        all.push_back(arena.make<Point>(points, device::MemoryKind::host));
    return all;
}

class FftwColumnFfts final : public ColumnFfts {
  public:
    FftwColumnFfts(device::Arena& arena, const FourStepFft& shape, int threads)
        : ColumnFfts(shape, device::MemoryKind::host),
          twiddles_(arena, shape.points()),
          plan_(arena, shape.length, 1),
          transformed_(points_by_thread(
              arena, std::clamp<std::int64_t>(shape.my_tiles().size(), 1, threads), shape.length)) {
    }

    [[nodiscard]] std::string description() const override { return fftw_description(); }

  private:
    void enqueue(device::View<const Point> tiles, device::View<double> parts,
                 device::Stream& stream) override {
        enqueue_shares(
            stream, Phase::compute, "fft", static_cast<int>(transformed_.size()),
            shape().my_tiles().size(),
            [this, from = tiles.data(), to = parts.data()](const Range& mine, int thread) {
                Point* bins = transformed_[static_cast<std::size_t>(thread)].view().data();
                for (std::int64_t tile = mine.begin; tile < mine.end; ++tile) {
                    plan_.run(from + tile * shape().length, bins);
                    scatter(tile, bins, to);
                }
            });
    }

    void scatter(std::int64_t tile, const Point* bins, double* parts) const {
        const std::int64_t tiles = shape().my_tiles().size();
        const auto t = static_cast<std::uint64_t>(shape().my_tiles().begin + tile);
        for (int to = 0; to < shape().ranks; ++to) {
            const Range range = shape().bins_of(to);
            for (std::int64_t k1 = range.begin; k1 < range.end; ++k1) {
                const std::int64_t bin = k1 - range.begin;
                double* block =
                    parts + block_index(bin / bins_of_block, tile, tiles) * doubles_of_block;
                const Point value =
                    product(bins[k1], twiddles_(t * static_cast<std::uint64_t>(k1)));
                block[bin % bins_of_block] = value.real();
                block[bins_of_block + bin % bins_of_block] = value.imag();
            }
            parts += shape().part_size(shape().rank, to);
        }
    }

    RootsOfUnity twiddles_;  ///< powers of w_N
    FftwPlan plan_;
    std::vector<device::Buffer<Point>> transformed_;  ///< by thread, a tile
};

class FftwRowFfts final : public RowFfts {
  public:
    FftwRowFfts(device::Arena& arena, const FourStepFft& shape, int threads)
        : RowFfts(shape, device::MemoryKind::host),
          plan_(arena, shape.tiles, bins_of_block),
          rows_(points_by_thread(arena,
                                 std::clamp<std::int64_t>(shape.blocks_of(shape.rank), 1, threads),
                                 2 * bins_of_block * shape.tiles)) {}

    [[nodiscard]] std::string description() const override { return fftw_description(); }

  private:
    void enqueue(std::span<const device::View<const double>> parts, device::View<Point> bins,
                 device::Stream& stream) override {
        enqueue_shares(stream, Phase::merge, "combine", static_cast<int>(rows_.size()),
                       shape().blocks_of(shape().rank),
                       [this, parts, to = bins.data()](const Range& blocks, int thread) {
                           Point* rows = rows_[static_cast<std::size_t>(thread)].view().data();
                           for (std::int64_t block = blocks.begin; block < blocks.end; ++block)
                               transform_block(block, rows, parts, to);
                       });
    }

    void transform_block(std::int64_t block, Point* gathered,
                         std::span<const device::View<const double>> parts, Point* bins) const {
        for (int from = 0; from < shape().ranks; ++from) {
            const Range tiles = shape().tiles_of(from);
            const double* source = parts[static_cast<std::size_t>(from)].data() +
                                   block_index(block, 0, tiles.size()) * doubles_of_block;
            for (std::int64_t t = tiles.begin; t < tiles.end; ++t, source += doubles_of_block)
                for (std::int64_t bin = 0; bin < bins_of_block; ++bin)
                    gathered[bin * shape().tiles + t] = {source[bin], source[bins_of_block + bin]};
        }
        Point* summed = gathered + bins_of_block * shape().tiles;
        plan_.run(gathered, summed);
        const std::int64_t columns = shape().my_bins().size();
        const std::int64_t first = block * bins_of_block;
        const std::int64_t count = std::min(columns - first, bins_of_block);
        for (std::int64_t k2 = 0; k2 < shape().tiles; ++k2)
            for (std::int64_t bin = 0; bin < count; ++bin)
                bins[k2 * columns + first + bin] = summed[bin * shape().tiles + k2];
    }

    FftwPlan plan_;
    std::vector<device::Buffer<Point>> rows_;  ///< by thread, [bin of the block][t] and [..][k2]
};

}  // namespace

std::unique_ptr<ColumnFfts> make_fftw_column_ffts(device::Arena& arena, const FourStepFft& shape,
                                                  int threads) {
    return std::make_unique<FftwColumnFfts>(arena, shape, threads);
}

std::unique_ptr<RowFfts> make_fftw_row_ffts(device::Arena& arena, const FourStepFft& shape,
                                            int threads) {
    return std::make_unique<FftwRowFfts>(arena, shape, threads);
}

std::string fftw_description() {
    const std::string version = fftw_version;
    return version + (lacks_avx2(version, device::best_loops().isa)
                          ? " (FFTW of this package has no AVX2 code, this processor has AVX2)"
                          : "");
}

bool lacks_avx2(std::string_view fftw, std::string_view isa) {
    return (isa == "avx2" || isa == "avx512") && fftw.starts_with("fftw-") &&
           fftw.find("-avx2") == std::string_view::npos;
}

}  // namespace quartet::fft

#include "device/host/fft/host_ffts.hpp"

#include <algorithm>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

class SimdColumnFfts final : public ColumnFfts {
  public:
    SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels,
                   const HostFftSettings& settings);

    void run(View<const std::complex<double>> tiles, View<double> parts, Stream& stream) override;
    [[nodiscard]] std::string description() const override { return plan_.description(); }

  private:
    void make_target_blocks();
    void transform(std::int64_t tile, const double* points, double* parts,
                   const TileWork& work) const;
    void make_tile_twiddles(std::int64_t tile, const TileWork& work) const;

    FourStepFft shape_;
    TilePlan plan_;
    RootsOfUnity twiddles_;  ///< powers of w_N
    bool whole_blocks_ = true;
    std::vector<TargetBlock> target_blocks_;
    TileFft fft_{};
    std::vector<TileWorkspace> workspaces_;  ///< by thread
};

SimdColumnFfts::SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels,
                               const HostFftSettings& settings)
    : shape_(shape), plan_(levels, settings.loops), twiddles_(shape.points()) {
    make_target_blocks();
    fft_ = plan_.fft(target_blocks_, whole_blocks_, exceeds(shape, settings.caches));
    const auto parts = std::clamp<std::int64_t>(shape.my_tiles().size(), 1, settings.threads);
    for (std::int64_t part = 0; part < parts; ++part)
        workspaces_.emplace_back(plan_.sizes());
}

void SimdColumnFfts::make_target_blocks() {
    constexpr std::int64_t bins_of_block = FourStepFft::block_bins;
    whole_blocks_ = plan_.sizes().levels.first % bins_of_block == 0;
    std::int64_t part = 0;
    for (int to = 0; to < shape_.ranks; ++to) {
        const Range bins = shape_.bins_of(to);
        whole_blocks_ = whole_blocks_ && bins.begin % bins_of_block == 0;
        for (std::int64_t block = 0; block < shape_.blocks_of(to); ++block)
            target_blocks_.push_back(
                {bins.begin + block * bins_of_block,
                 part + block_index(block, 0, shape_.my_tiles().size()) * FourStepFft::block_size});
        part += shape_.part_size(shape_.rank, to);
    }
}

void SimdColumnFfts::run(View<const std::complex<double>> tiles, View<double> parts,
                         Stream& stream) {
    require_host(tiles, shape_.input_points(), "column FFTs: not this rank's tiles");
    require_host(parts, shape_.parts_size(), "column FFTs: not the size of this rank's parts");
    require_apart(tiles, parts);
    const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                       to = parts.data()] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            const Range mine = block_range(shape_.my_tiles().size(), threads, thread);
            for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                transform(tile, from, to, workspaces_[static_cast<std::size_t>(thread)].work);
            plan_.loops().finish_past_caches();
        });
    };
    stream.enqueue(Phase::compute, "tiles", work);
}

void SimdColumnFfts::transform(std::int64_t tile, const double* points, double* parts,
                               const TileWork& work) const {
    make_tile_twiddles(shape_.my_tiles().begin + tile, work);
    const double* mine = points + 2 * tile * shape_.length;
    const double* next = mine + 2 * shape_.length;
    plan_.loops().tile_columns(fft_, work, 0, plan_.column_strips(), mine, next);
    plan_.loops().tile_rows(fft_, work, next + shape_.length,
                            parts + tile * FourStepFft::block_size);
}

// w_N^(t k1) as a product over k1 = ka + A kb. No exponent reaches N, since t < T and k1 < M.
void SimdColumnFfts::make_tile_twiddles(std::int64_t tile, const TileWork& work) const {
    const auto t = static_cast<std::uint64_t>(tile);
    const Strips rows = plan_.row_strips();
    for (std::int64_t strip = 0; strip < rows.strips(); ++strip) {
        double* twiddles = work.outer_twiddles + strip * 2 * rows.lanes;
        for (std::int64_t lane = 0; lane < rows.lanes; ++lane) {
            const auto root = twiddles_(t * static_cast<std::uint64_t>(rows.begin(strip) + lane));
            twiddles[lane] = root.real();
            twiddles[rows.lanes + lane] = root.imag();
        }
    }
    const TwoLevels& levels = plan_.sizes().levels;
    const std::uint64_t step = t * static_cast<std::uint64_t>(levels.first);
    for (std::int64_t kb = 0; kb < levels.second; ++kb) {
        const auto root = twiddles_(step * static_cast<std::uint64_t>(kb));
        work.inner_twiddles[2 * kb] = root.real();
        work.inner_twiddles[2 * kb + 1] = root.imag();
    }
}

/// The whole transform as one tile, which leaves its points in order: no blocks, no exchange.
class OnlyTileFft final : public SingleRankFft {
  public:
    OnlyTileFft(const TwoLevels& levels, int threads, const Loops& loops)
        : plan_(levels, loops), scratch_(host_doubles(plan_.sizes().scratch())) {
        for (int thread = 0; thread < threads; ++thread) {
            workspaces_.emplace_back(plan_.sizes());
            workspaces_.back().work.scratch = scratch_.view().data();
        }
    }

    void run(View<const std::complex<double>> tiles, View<std::complex<double>> bins,
             Stream& stream) override {
        const std::int64_t points = plan_.sizes().levels.first * plan_.sizes().levels.second;
        require_host(tiles, points, "FFT: not the size of the only tile");
        require_host(bins, points, "FFT: not the size of the result");
        const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                           to = reinterpret_cast<double*>(bins.data())] {
            const TileFft fft = plan_.fft({}, true, false);
            const auto threads = static_cast<int>(workspaces_.size());
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.column_strips(), threads, thread);
                plan_.loops().tile_columns(fft, work_of(thread), mine.begin, mine.end, from, from);
            });
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.row_strips().strips(), threads, thread);
                plan_.loops().only_tile_rows(fft, work_of(thread), mine.begin, mine.end, to);
            });
        };
        stream.enqueue(Phase::compute, "fft", work);
    }
    [[nodiscard]] std::string description() const override { return plan_.description(); }

  private:
    [[nodiscard]] const TileWork& work_of(int thread) const {
        return workspaces_[static_cast<std::size_t>(thread)].work;
    }

    TilePlan plan_;
    Buffer<double> scratch_;                 ///< of all threads
    std::vector<TileWorkspace> workspaces_;  ///< by thread
};

std::optional<TwoLevels> only_tile_levels(const FourStepFft& shape, const Loops& loops) {
    return shape.tiles == 1 && shape.ranks == 1 ? tile_levels(shape.length, loops) : std::nullopt;
}

// Of these threads, those that an only tile keeps busy for longer than they wait for each other.
int useful_threads(const TwoLevels& levels, int threads) {
    constexpr std::int64_t least_points = std::int64_t{1} << 12;
    return static_cast<int>(
        std::clamp<std::int64_t>(levels.first * levels.second / least_points, 1, threads));
}

}  // namespace

bool exceeds(const FourStepFft& shape, Bytes caches) {
    const Bytes each = bytes_of<std::complex<double>>(shape.points() / shape.ranks);
    return 3 * each > caches;  // points, parts and bins
}

std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& shape,
                                                  const HostFftSettings& settings) {
    const auto levels = tile_levels(shape.length, settings.loops);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdColumnFfts>(shape, *levels, settings);
}

std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& shape,
                                             const HostFftSettings& settings) {
    const auto levels = tile_levels(shape.length, settings.loops);
    if (!levels)
        return std::nullopt;
    const TileSizes sizes{*levels, settings.loops.lanes};
    return Bytes{RootsOfUnity::table_bytes(shape.points())} +
           bytes_of<double>(sizes.middle_twiddles() + sizes.row_twiddles()) +
           bytes_of<TargetBlock>(shape.length / FourStepFft::block_bins + shape.ranks) +
           settings.threads * bytes_of<double>(sizes.workspace());
}

std::unique_ptr<SingleRankFft> plan_only_tile_fft(const FourStepFft& shape,
                                                  const HostFftSettings& settings) {
    const auto levels = only_tile_levels(shape, settings.loops);
    if (!levels)
        return nullptr;
    return std::make_unique<OnlyTileFft>(*levels, useful_threads(*levels, settings.threads),
                                         settings.loops);
}

std::optional<Bytes> only_tile_fft_memory(const FourStepFft& shape,
                                          const HostFftSettings& settings) {
    const auto levels = only_tile_levels(shape, settings.loops);
    if (!levels)
        return std::nullopt;
    const TileSizes sizes{*levels, settings.loops.lanes};
    return bytes_of<double>(sizes.middle_twiddles() + sizes.row_twiddles() + sizes.scratch()) +
           settings.threads * bytes_of<double>(sizes.workspace());
}

}  // namespace quartet::device

#include "device/host/fft/host_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/small_fft_plan.hpp"
#include "device/host/fft/two_levels.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/caches.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// Strips of adjacent indices, one in each lane, that cover [0, count): as in TileFft.
struct Strips {
    std::int64_t count;
    std::int64_t lanes;
    [[nodiscard]] std::int64_t strips() const { return divide_up(count, lanes); }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        return std::min(strip * lanes, count - lanes);
    }
};

/// The sizes of what the loops keep for a tile of M = A B points, in doubles.
struct TileSizes {
    TwoLevels levels;
    std::int64_t lanes;

    [[nodiscard]] std::int64_t stages() const {
        return 4 * lanes * std::max(levels.first, levels.second);
    }
    [[nodiscard]] std::int64_t strip() const { return 2 * lanes * levels.first; }
    [[nodiscard]] std::int64_t row_strips() const { return divide_up(levels.first, lanes); }
    [[nodiscard]] std::int64_t scratch() const {
        return row_strips() * (levels.second + 1) * 2 * lanes;
    }
    [[nodiscard]] std::int64_t halves() const { return 2 * lanes * levels.second; }
    [[nodiscard]] std::int64_t unsorted() const {
        return 2 * (levels.first * levels.second + FourStepFft::block_bins);
    }
    [[nodiscard]] std::int64_t outer_twiddles() const { return row_strips() * 2 * lanes; }
    [[nodiscard]] std::int64_t inner_twiddles() const { return 2 * levels.second; }
    [[nodiscard]] std::int64_t workspace() const {
        return stages() + strip() + scratch() + halves() + unsorted() + outer_twiddles() +
               inner_twiddles();
    }
    [[nodiscard]] std::int64_t middle_twiddles() const {
        return divide_up(levels.second, lanes) * levels.first * 2 * lanes;
    }
};

/// Memory of the host that one thread works in.
Buffer<double> doubles(std::int64_t size) {
    return {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
}

/// One thread's memory for a tile. All sizes but the last two are multiples of a cache line.
struct TileWorkspace {
    explicit TileWorkspace(const TileSizes& sizes) : memory(doubles(sizes.workspace())) {
        double* next = memory.view().data();
        const auto take = [&next](std::int64_t size) { return std::exchange(next, next + size); };
        work.stages = take(sizes.stages());
        work.strip = take(sizes.strip());
        work.scratch = take(sizes.scratch());
        work.halves = take(sizes.halves());
        work.outer_twiddles = take(sizes.outer_twiddles());
        work.unsorted = take(sizes.unsorted());
        work.inner_twiddles = take(sizes.inner_twiddles());
    }

    Buffer<double> memory;
    TileWork work{};
};

/// The tables of the FFT of a tile.
class TilePlan {
  public:
    TilePlan(const TwoLevels& levels, const Loops& loops)
        : sizes_{levels, loops.lanes},
          loops_(loops),
          first_(levels.first, loops.registers),
          second_(levels.second, loops.registers),
          middle_twiddles_(doubles(sizes_.middle_twiddles())) {
        const Strips columns{levels.second, sizes_.lanes};
        const RootsOfUnity roots(levels.first * levels.second);
        double* next = middle_twiddles_.view().data();
        for (std::int64_t strip = 0; strip < columns.strips(); ++strip) {
            for (std::int64_t ka = 0; ka < levels.first; ++ka, next += 2 * sizes_.lanes) {
                for (std::int64_t lane = 0; lane < sizes_.lanes; ++lane) {
                    const auto root =
                        roots(static_cast<std::uint64_t>((columns.begin(strip) + lane) * ka));
                    next[lane] = root.real();
                    next[sizes_.lanes + lane] = root.imag();
                }
            }
        }
    }

    [[nodiscard]] const TileSizes& sizes() const { return sizes_; }
    [[nodiscard]] const FftLoops& loops() const { return loops_.ffts; }
    [[nodiscard]] std::int64_t lanes() const { return sizes_.lanes; }
    /// Strips of b, and of ka.
    [[nodiscard]] std::int64_t column_strips() const {
        return divide_up(sizes_.levels.second, sizes_.lanes);
    }
    [[nodiscard]] Strips row_strips() const { return {sizes_.levels.first, sizes_.lanes}; }
    /// Borrows the tables.
    [[nodiscard]] TileFft fft(std::span<const TargetBlock> blocks, bool whole_blocks,
                              bool past_caches) const {
        return {first_.fft(),  second_.fft(),      middle_twiddles_.view().data(),
                blocks.data(), std::ssize(blocks), whole_blocks,
                past_caches};
    }
    [[nodiscard]] std::string description() const {
        return fmt::format("{} x {} in {} lanes", first_.length(), second_.length(), sizes_.lanes);
    }

  private:
    TileSizes sizes_;
    const Loops& loops_;
    SmallFftPlan first_;   ///< A
    SmallFftPlan second_;  ///< B
    Buffer<double> middle_twiddles_;
};

class SimdColumnFfts final : public ColumnFfts {
  public:
    SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels, int threads,
                   const Loops& loops);

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

SimdColumnFfts::SimdColumnFfts(const FourStepFft& shape, const TwoLevels& levels, int threads,
                               const Loops& loops)
    : shape_(shape), plan_(levels, loops), twiddles_(shape.points()) {
    make_target_blocks();
    fft_ = plan_.fft(target_blocks_, whole_blocks_, exceeds_caches(shape));
    const auto parts = std::clamp<std::int64_t>(shape.my_tiles().size(), 1, threads);
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
        : plan_(levels, loops), scratch_(doubles(plan_.sizes().scratch())) {
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

std::optional<TwoLevels> tile_levels(const FourStepFft& shape, const Loops& loops) {
    return two_levels(shape.length, FourStepFft::block_bins, FourStepFft::block_bins,
                      loops.registers);
}

std::optional<TwoLevels> only_tile_levels(const FourStepFft& shape, const Loops& loops) {
    return shape.tiles == 1 && shape.ranks == 1 ? tile_levels(shape, loops) : std::nullopt;
}

// Of these threads, those that an only tile keeps busy for longer than they wait for each other.
int useful_threads(const TwoLevels& levels, int threads) {
    constexpr std::int64_t least_points = std::int64_t{1} << 12;
    return static_cast<int>(
        std::clamp<std::int64_t>(levels.first * levels.second / least_points, 1, threads));
}

}  // namespace

bool exceeds_caches(const FourStepFft& shape) {
    const Bytes each = bytes_of<std::complex<double>>(shape.points() / shape.ranks);
    return 3 * each > system::cache_share();  // points, parts and bins
}

std::unique_ptr<ColumnFfts> plan_simd_column_ffts(const FourStepFft& shape, int threads,
                                                  const Loops& loops) {
    const auto levels = tile_levels(shape, loops);
    if (!levels)
        return nullptr;
    return std::make_unique<SimdColumnFfts>(shape, *levels, threads, loops);
}

std::optional<Bytes> simd_column_ffts_memory(const FourStepFft& shape, int threads,
                                             const Loops& loops) {
    const auto levels = tile_levels(shape, loops);
    if (!levels)
        return std::nullopt;
    const TileSizes sizes{*levels, loops.lanes};
    return Bytes{RootsOfUnity::table_bytes(shape.points())} +
           bytes_of<double>(sizes.middle_twiddles()) +
           bytes_of<TargetBlock>(shape.length / FourStepFft::block_bins + shape.ranks) +
           threads * bytes_of<double>(sizes.workspace());
}

std::unique_ptr<SingleRankFft> plan_only_tile_fft(const FourStepFft& shape, int threads,
                                                  const Loops& loops) {
    const auto levels = only_tile_levels(shape, loops);
    if (!levels)
        return nullptr;
    return std::make_unique<OnlyTileFft>(*levels, useful_threads(*levels, threads), loops);
}

std::optional<Bytes> only_tile_fft_memory(const FourStepFft& shape, int threads,
                                          const Loops& loops) {
    const auto levels = only_tile_levels(shape, loops);
    if (!levels)
        return std::nullopt;
    const TileSizes sizes{*levels, loops.lanes};
    return bytes_of<double>(sizes.middle_twiddles() + sizes.scratch()) +
           threads * bytes_of<double>(sizes.workspace());
}

}  // namespace quartet::device

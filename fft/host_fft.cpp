#include "fft/host_fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "device/require_views.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t block_bins = FourStepFft::block_bins;
constexpr std::int64_t block_size = FourStepFft::block_size;

// Whether a rank's points, parts and bins together exceed the caches.
bool exceeds(const FourStepFft& shape, Bytes caches) {
    return 3 * bytes_of<Point>(shape.points() / shape.ranks) > caches;
}

void put(const Point& point, double& re, double& im) {
    re = point.real();
    im = point.imag();
}

/// Arrays of these sizes, one after another in a new buffer of `memory`; null while the arena
/// plans.
std::vector<double*> make_arrays(device::Arena& arena, std::vector<device::Buffer<double>>& memory,
                                 const std::vector<std::int64_t>& sizes) {
    memory.push_back(arena.make<double>(
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), device::MemoryKind::host));
    std::vector<double*> arrays;
    double* next = memory.back().view().data();
    for (const std::int64_t size : sizes) {
        arrays.push_back(next);
        next = next == nullptr ? next : next + size;
    }
    return arrays;
}

/// Strips of adjacent indices, one in each lane, that cover [0, count): as in TileFft.
struct LaneStrips {
    std::int64_t count;
    std::int64_t lanes;
    [[nodiscard]] std::int64_t strips() const { return divide_up(count, lanes); }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
        return std::min(strip * lanes, count - lanes);
    }
};

// w_length^(index k) for each k below `count`, with the indices of a strip in the lanes.
double* write_strip(double* to, const RootsOfUnity& roots, std::int64_t begin, std::int64_t count,
                    std::int64_t lanes) {
    for (std::int64_t k = 0; k < count; ++k, to += 2 * lanes) {
        for (int lane = 0; lane < lanes; ++lane) {
            const std::int64_t index = begin + pair_order(lane, static_cast<int>(lanes));
            put(roots(static_cast<std::uint64_t>(index * k)), to[lane], to[lanes + lane]);
        }
    }
    return to;
}

/// The FFT of a tile of M = A B points: its tables, none while the arena plans, and the memory of
/// each thread.
class TilePlan {
  public:
    TilePlan(device::Arena& arena, const TwoLevels& levels, const Loops& loops, int threads)
        : levels_(levels),
          loops_(loops),
          first_(levels.first, loops.registers),
          second_(levels.second, loops.registers, levels.lanes_of_second),
          middle_twiddles_(arena.make<double>(
              column_strips().strips() * levels.first * 2 * loops.lanes, device::MemoryKind::host)),
          row_twiddles_(arena.make<double>(2 * levels.second, device::MemoryKind::host)) {
        const std::int64_t lanes = loops.lanes;
        const LaneStrips columns = column_strips();
        const std::int64_t length = levels.first * levels.second;
        for (int thread = 0; thread < threads; ++thread) {
            // All arrays but the last begin with cache lines.
            const std::vector<double*> arrays = make_arrays(
                arena, memory_,
                {4 * lanes * std::max(levels.first, levels.second),
                 levels.first * (columns.strips() + 1) * 2 * lanes, 2 * lanes * levels.second,
                 row_strips().strips() * 2 * lanes, 2 * (length + block_bins), 2 * levels.second});
            work_.push_back({.stages = arrays[0],
                             .scratch = arrays[1],
                             .halves = arrays[2],
                             .unsorted = arrays[4],
                             .outer_twiddles = arrays[3],
                             .inner_twiddles = arrays[5]});
        }
        if (arena.plans())
            return;
        const RootsOfUnity roots(length);
        double* next = middle_twiddles_.view().data();
        for (std::int64_t strip = 0; strip < columns.strips(); ++strip)
            next = write_strip(next, roots, columns.begin(strip), levels.first, lanes);
        if (!second_.has_points_in_lanes())
            return;
        const SmallFftStage& stage = second_.fft().stage[second_.fft().stages - 1];
        const RootsOfUnity row_roots(levels.second);
        next = row_twiddles_.view().data();
        for (std::int64_t c = 0; c < stage.radix; c += lanes)
            next = write_strip(next, row_roots, c, stage.before, lanes);
    }

    [[nodiscard]] const Loops& loops() const { return loops_; }
    [[nodiscard]] const TwoLevels& levels() const { return levels_; }
    [[nodiscard]] int threads() const { return static_cast<int>(work_.size()); }
    [[nodiscard]] TileWork& work(int thread) { return work_[static_cast<std::size_t>(thread)]; }
    /// The strips of b, and the strips of ka.
    [[nodiscard]] LaneStrips column_strips() const { return {levels_.second, loops_.lanes}; }
    [[nodiscard]] LaneStrips row_strips() const { return {levels_.first, loops_.lanes}; }
    /// Borrows the tables.
    [[nodiscard]] TileFft fft(std::span<const TargetBlock> blocks, bool whole_blocks,
                              bool past_caches) const {
        return {first_.fft(),
                second_.fft(),
                middle_twiddles_.view().data(),
                second_.has_points_in_lanes() ? row_twiddles_.view().data() : nullptr,
                blocks.data(),
                std::ssize(blocks),
                whole_blocks,
                past_caches};
    }
    /// "64 x 128 in 8 lanes"
    [[nodiscard]] std::string description() const {
        return fmt::format("{} x {} in {} lanes", levels_.first, levels_.second, loops_.lanes);
    }

  private:
    TwoLevels levels_;
    const Loops& loops_;
    SmallFftPlan first_;   ///< A
    SmallFftPlan second_;  ///< B
    device::Buffer<double> middle_twiddles_;
    device::Buffer<double> row_twiddles_;
    std::vector<device::Buffer<double>> memory_;
    std::vector<TileWork> work_;  ///< by thread
};

int threads_for(std::int64_t pieces, int threads) {
    return static_cast<int>(std::clamp<std::int64_t>(pieces, 1, threads));
}

/// Column FFTs by the loops.
class TileColumnFfts final : public ColumnFfts {
  public:
    TileColumnFfts(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                   const HostFftSettings& settings)
        : ColumnFfts(shape, device::MemoryKind::host),
          plan_(arena, levels, settings.loops,
                threads_for(shape.my_tiles().size(), settings.threads)),
          twiddles_(arena, shape.points()) {
        bool whole_blocks = levels.first % block_bins == 0;
        std::int64_t part = 0;
        for (int to = 0; to < shape.ranks; ++to) {
            const Range bins = shape.bins_of(to);
            whole_blocks = whole_blocks && bins.begin % block_bins == 0;
            for (std::int64_t block = 0; block < shape.blocks_of(to); ++block)
                target_blocks_.push_back(
                    {bins.begin + block * block_bins,
                     part + block_index(block, 0, shape.my_tiles().size()) * block_size});
            part += shape.part_size(shape.rank, to);
        }
        arena.reserve(bytes_of<TargetBlock>(std::ssize(target_blocks_)));
        fft_ = plan_.fft(target_blocks_, whole_blocks, exceeds(shape, settings.caches));
    }
    [[nodiscard]] std::string description() const override { return plan_.description(); }

  private:
    void enqueue(device::View<const Point> tiles, device::View<double> parts,
                 device::Stream& stream) override {
        const auto* from = reinterpret_cast<const double*>(tiles.data());
        enqueue_shares(stream, Phase::compute, "tiles", plan_.threads(), shape().my_tiles().size(),
                       [this, from, to = parts.data()](const Range& mine, int thread) {
                           for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                               transform(tile, from, to, plan_.work(thread));
                           plan_.loops().finish_past_caches();
                       });
    }
    void transform(std::int64_t tile, const double* points, double* parts, const TileWork& work) {
        make_tile_twiddles(shape().my_tiles().begin + tile, work);
        const double* mine = points + 2 * tile * shape().length;
        const double* next = mine + 2 * shape().length;
        plan_.loops().tile_columns(fft_, work, 0, plan_.column_strips().strips(), mine, next);
        plan_.loops().tile_rows(fft_, work, next + shape().length, parts + tile * block_size);
    }
    // w_N^(t k1) as a product over k1 = ka + A kb. No exponent reaches N, since t < T and k1 < M.
    void make_tile_twiddles(std::int64_t tile, const TileWork& work) const {
        const auto t = static_cast<std::uint64_t>(tile);
        const LaneStrips rows = plan_.row_strips();
        for (std::int64_t strip = 0; strip < rows.strips(); ++strip) {
            double* twiddles = work.outer_twiddles + strip * 2 * rows.lanes;
            for (std::int64_t lane = 0; lane < rows.lanes; ++lane) {
                const auto k1 = static_cast<std::uint64_t>(rows.begin(strip) + lane);
                put(twiddles_(t * k1), twiddles[lane], twiddles[rows.lanes + lane]);
            }
        }
        const std::uint64_t step = t * static_cast<std::uint64_t>(plan_.levels().first);
        for (std::int64_t kb = 0; kb < plan_.levels().second; ++kb)
            put(twiddles_(step * static_cast<std::uint64_t>(kb)), work.inner_twiddles[2 * kb],
                work.inner_twiddles[2 * kb + 1]);
    }

    TilePlan plan_;
    RootsOfUnity twiddles_;  ///< powers of w_N
    std::vector<TargetBlock> target_blocks_;
    TileFft fft_{};
};

/// The whole transform as one tile.
class OnlyTileFft final : public SingleRankFft {
  public:
    OnlyTileFft(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                const HostFftSettings& settings)
        : SingleRankFft(shape, device::MemoryKind::host),
          plan_(arena, levels, settings.loops,
                threads_for(shape.length / points_of_thread, settings.threads)) {
        for (int thread = 1; thread < plan_.threads(); ++thread)
            plan_.work(thread).scratch = plan_.work(0).scratch;
    }
    [[nodiscard]] std::string description() const override { return plan_.description(); }

  private:
    /// What keeps a thread busy for longer than the threads wait for each other.
    static constexpr std::int64_t points_of_thread = std::int64_t{1} << 12;

    void enqueue(device::View<const Point> tiles, device::View<Point> bins,
                 device::Stream& stream) override {
        const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                           to = reinterpret_cast<double*>(bins.data())] {
            const TileFft fft = plan_.fft({}, true, false);
            const int threads = plan_.threads();
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.column_strips().strips(), threads, thread);
                plan_.loops().tile_columns(fft, plan_.work(thread), mine.begin, mine.end, from,
                                           from);
            });
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.row_strips().strips(), threads, thread);
                plan_.loops().only_tile_rows(fft, plan_.work(thread), mine.begin, mine.end, to);
            });
        };
        stream.enqueue(Phase::compute, "fft", work);
    }

    TilePlan plan_;  ///< its threads have one scratch together
};

/// Row FFTs by the loops.
class BlockRowFfts final : public RowFfts {
  public:
    BlockRowFfts(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                 const HostFftSettings& settings)
        : RowFfts(shape, device::MemoryKind::host),
          loops_(settings.loops),
          past_caches_(exceeds(shape, settings.caches)),
          columns_(shape.my_bins().size()),
          first_(levels.first, settings.loops.registers),
          second_(levels.second, settings.loops.registers) {
        arena.reserve(bytes_of<TileSource>(shape.tiles) +
                      bytes_of<Point>(levels.first > 1 ? shape.tiles : 0));
        for (int rank = 0; rank < shape.ranks; ++rank) {
            const auto tiles = static_cast<std::uint32_t>(shape.tiles_of(rank).size());
            for (std::uint32_t tile = 0; tile < tiles; ++tile)
                sources_.push_back({static_cast<std::uint32_t>(rank), tile});
        }
        if (levels.first > 1) {
            const RootsOfUnity roots(shape.tiles);
            for (std::int64_t b = 0; b < levels.second; ++b) {
                for (std::int64_t ka = 0; ka < levels.first; ++ka)
                    twiddles_.push_back(roots(static_cast<std::uint64_t>(b * ka)));
            }
        }
        const int threads = threads_for(shape.blocks_of(shape.rank), settings.threads);
        for (int thread = 0; thread < threads; ++thread) {
            const std::vector<double*> arrays =
                make_arrays(arena, memory_,
                            {std::int64_t{4} * loops_.lanes * std::max(levels.first, levels.second),
                             std::int64_t{2} * loops_.lanes * levels.first * (levels.second + 1)});
            addresses_.push_back({arena.make_vector<const double*>(shape.ranks),
                                  arena.make_vector<const double*>(shape.ranks)});
            const auto& [block, next] = addresses_.back();
            work_.push_back({arrays[0], arrays[1], block.data(), next.data()});
        }
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format(
            "{}{} in {} lanes",
            first_.fft().length == 1 ? "" : fmt::format("{} x ", first_.fft().length),
            second_.fft().length, loops_.lanes);
    }

  private:
    void enqueue(std::span<const device::View<const double>> parts, device::View<Point> bins,
                 device::Stream& stream) override {
        auto* to = reinterpret_cast<double*>(bins.data());
        enqueue_shares(stream, Phase::merge, "combine", static_cast<int>(work_.size()),
                       shape().blocks_of(shape().rank),
                       [this, parts, to](const Range& blocks, int thread) {
                           transform_blocks(blocks, parts, to, thread);
                           loops_.finish_past_caches();
                       });
    }
    void transform_blocks(const Range& blocks, std::span<const device::View<const double>> parts,
                          double* bins, int thread) {
        const RowWork& work = work_[static_cast<std::size_t>(thread)];
        auto& [addresses, next_addresses] = addresses_[static_cast<std::size_t>(thread)];
        const bool lines = 2 * columns_ % block_bins == 0 &&  // rows begin with cache lines
                           std::bit_cast<std::uintptr_t>(bins) % 64 == 0;
        const RowFft fft{first_.fft(),    second_.fft(),
                         sources_.data(), reinterpret_cast<const double*>(twiddles_.data()),
                         columns_,        lines && past_caches_};
        for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
            find_blocks(block, parts, addresses);
            find_blocks(std::min(block + 1, blocks.end - 1), parts, next_addresses);
            const std::int64_t first = block * block_bins;
            loops_.rows(fft, work, std::min(columns_ - first, block_bins), bins + 2 * first);
        }
    }
    void find_blocks(std::int64_t block, std::span<const device::View<const double>> parts,
                     std::vector<const double*>& addresses) const {
        for (int rank = 0; rank < shape().ranks; ++rank) {
            const auto index = static_cast<std::size_t>(rank);
            addresses[index] = parts[index].data() +
                               block_index(block, 0, shape().tiles_of(rank).size()) * block_size;
        }
    }

    const Loops& loops_;
    bool past_caches_;
    std::int64_t columns_;             ///< of the result: k1 of this rank
    SmallFftPlan first_;               ///< A, 1 if there is one level
    SmallFftPlan second_;              ///< B
    std::vector<TileSource> sources_;  ///< by t
    std::vector<Point> twiddles_;      ///< [b][ka]: w_T^(b ka)
    std::vector<device::Buffer<double>> memory_;
    std::vector<RowWork> work_;  ///< by thread
    /// By thread: the addresses of the blocks that it reads, by rank, for this row and the next.
    std::vector<std::array<std::vector<const double*>, 2>> addresses_;
};

/// In each row k2 of the result, the k1 of each rank are contiguous: one copy for each.
class HostTranspose final : public Transpose {
  public:
    HostTranspose(const FourStepFft& shape, int threads)
        : Transpose(shape, device::MemoryKind::host),
          mine_(block_range(shape.points(), shape.ranks, shape.rank)),
          threads_(threads) {}

  private:
    void enqueue(std::span<const device::View<const Point>> parts, device::View<Point> bins,
                 device::Stream& stream) override {
        const std::int64_t first = mine_.begin / shape().length;
        enqueue_shares(stream, Phase::merge, "natural", threads_,
                       divide_up(mine_.end, shape().length) - first,
                       [this, first, parts, to = bins.data()](const Range& share, int) {
                           copy_rows({first + share.begin, first + share.end}, parts, to);
                       });
    }
    void copy_rows(const Range& rows, std::span<const device::View<const Point>> parts,
                   Point* bins) const {
        for (int from = 0; from < shape().ranks; ++from) {
            const Range columns = shape().bins_of(from);
            const Point* part = parts[static_cast<std::size_t>(from)].data();
            const std::int64_t before = bins_below(shape(), from, mine_.begin);
            for (std::int64_t row = rows.begin; row < rows.end; ++row) {
                const std::int64_t origin = row * shape().length;
                const std::int64_t begin = std::max(origin + columns.begin, mine_.begin);
                const std::int64_t end = std::min(origin + columns.end, mine_.end);
                if (begin < end)
                    std::memcpy(bins + (begin - mine_.begin),
                                part + (bins_below(shape(), from, begin) - before),
                                static_cast<std::size_t>(end - begin) * sizeof(Point));
            }
        }
    }

    Range mine_;
    int threads_;
};

/// The two lengths of a tile's FFT; nothing if there are none.
std::optional<TwoLevels> tile_levels(const FourStepFft& shape, const HostFftSettings& settings) {
    require_valid(shape);
    Lanes lanes = Lanes::points;
    if (shape.tiles > 1 && settings.loops.lanes < block_bins) {
        lanes = Lanes::transforms;  // 2^22 points by AVX2 on Zen 4: in 0.88 of the time
    } else if (shape.tiles > 1 && !exceeds(shape, settings.caches)) {
        lanes = Lanes::points_to_blocks;
    }
    return two_levels(shape.length, block_bins, block_bins, settings.loops.registers, lanes);
}
std::optional<TwoLevels> row_levels(const FourStepFft& shape, const Loops& loops) {
    if (SmallFftPlan::supports(shape.tiles))
        return TwoLevels{1, shape.tiles};
    return two_levels(shape.tiles, 2, 1, loops.registers);
}

class HostFfts final : public FftFactory {
  public:
    explicit HostFfts(const HostFftSettings& settings) : settings_(settings) {}

    std::unique_ptr<ColumnFfts> column_ffts(device::Arena& arena,
                                            const FourStepFft& shape) override {
        if (const auto levels = tile_levels(shape, settings_))
            return std::make_unique<TileColumnFfts>(arena, shape, *levels, settings_);
        return make_fftw_column_ffts(arena, shape, settings_.threads);
    }
    std::unique_ptr<RowFfts> row_ffts(device::Arena& arena, const FourStepFft& shape) override {
        if (const auto levels = row_levels(shape, settings_.loops))
            return std::make_unique<BlockRowFfts>(arena, shape, *levels, settings_);
        return make_fftw_row_ffts(arena, shape, settings_.threads);
    }
    std::unique_ptr<Transpose> transpose(const FourStepFft& shape) override {
        return std::make_unique<HostTranspose>(shape, settings_.threads);
    }
    std::unique_ptr<SingleRankFft> single_rank_fft(device::Arena& arena,
                                                   const FourStepFft& shape) override {
        const auto levels =
            shape.tiles == 1 && shape.ranks == 1 ? tile_levels(shape, settings_) : std::nullopt;
        return levels ? std::make_unique<OnlyTileFft>(arena, shape, *levels, settings_) : nullptr;
    }

  private:
    HostFftSettings settings_;
};

}  // namespace

std::unique_ptr<FftFactory> make_host_ffts(const HostFftSettings& settings) {
    return std::make_unique<HostFfts>(settings);
}

TileScatter::TileScatter(device::Arena& arena, const FourStepFft& shape,
                         const HostFftSettings& settings)
    : shape_(shape),
      threads_(settings.threads),
      loops_(settings.loops),
      past_caches_(bytes_of<double>(shape.parts_size()) > settings.caches),
      twiddles_(arena, shape.points()) {
    check(shape.ranks == 1, "tile scatter: for the tiles of one rank");
}

void TileScatter::run(std::int64_t tile, device::View<const double> blocks,
                      device::View<double> parts, device::Stream& stream) const {
    check(tile >= 0 && tile < shape_.tiles, "tile scatter: no such tile");
    device::require_host(blocks, shape_.blocks_of(0) * block_size,
                         "tile scatter: not the size of a tile's blocks");
    device::require_host(parts, shape_.parts_size(), "tile scatter: not the size of all blocks");
    require_apart(blocks, parts);
    enqueue_shares(stream, Phase::merge, "place", threads_, shape_.blocks_of(0),
                   [this, tile, from = blocks.data(), to = parts.data()](const Range& range, int) {
                       scatter(tile, range, from, to);
                       loops_.finish_past_caches();
                   });
}

// The twiddle of bin 8 b + l of tile t is w_N^(8 b t) w_N^(l t), the latter the same in all blocks.
void TileScatter::scatter(std::int64_t tile, const Range& range, const double* from,
                          double* to) const {
    constexpr std::int64_t chunk = 64;  // blocks whose roots are looked up at a time
    const auto t = static_cast<std::uint64_t>(tile);
    double within[block_size];
    for (std::int64_t lane = 0; lane < block_bins; ++lane) {
        const auto order = static_cast<std::uint64_t>(shape_.points());
        put(twiddles_.of_product(t, static_cast<std::uint64_t>(lane) % order), within[lane],
            within[block_bins + lane]);
    }
    double roots[2 * chunk];
    for (std::int64_t begin = range.begin; begin < range.end; begin += chunk) {
        const std::int64_t count = std::min(chunk, range.end - begin);
        for (std::int64_t index = 0; index < count; ++index) {
            // Below N, as t < T and the block's first bin is below M.
            put(twiddles_(t * static_cast<std::uint64_t>((begin + index) * block_bins)),
                roots[2 * index], roots[2 * index + 1]);
        }
        loops_.scatter(from + begin * block_size, count, within, roots,
                       to + block_index(begin, tile, shape_.tiles) * block_size,
                       shape_.tiles * block_size, past_caches_);
    }
}

}  // namespace quartet::fft

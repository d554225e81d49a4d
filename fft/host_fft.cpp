#include "fft/host_fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "device/require_views.hpp"
#include "fft/tile_plan.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t block_bins = FourStepFft::block_bins;
constexpr std::int64_t block_size = FourStepFft::block_size;

// Whether a rank's points, parts and bins together exceed the caches.
bool exceeds(const FourStepFft& shape, Bytes caches) {
    return 3 * bytes_of<Point>(shape.points() / shape.ranks) > caches;
}

/// Column FFTs by the loops.
class TileColumnFfts final : public ColumnFfts {
  public:
    TileColumnFfts(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                   const HostFftSettings& settings);
    [[nodiscard]] std::string description() const override { return plan_.description(); }

  private:
    void enqueue(device::View<const Point> tiles, device::View<double> parts,
                 device::Stream& stream) override;
    void make_target_blocks(device::Arena& arena);
    void transform(std::int64_t tile, const double* points, double* parts,
                   const TileWork& work) const;
    void make_tile_twiddles(std::int64_t tile, const TileWork& work) const;

    TilePlan plan_;
    RootsOfUnity twiddles_;  ///< powers of w_N
    bool whole_blocks_ = true;
    std::vector<TargetBlock> target_blocks_;
    TileFft fft_{};
    std::vector<Workspace<TileWork>> workspaces_;  ///< by thread
};

std::vector<Workspace<TileWork>> tile_workspaces(device::Arena& arena, const TilePlan& plan,
                                                 std::int64_t threads) {
    std::vector<Workspace<TileWork>> all;
    for (std::int64_t thread = 0; thread < threads; ++thread)
        all.emplace_back(arena, [&](WorkMemory& memory) {
            return TilePlan::lay_out(plan.levels(), plan.loops().lanes, memory);
        });
    return all;
}

TileColumnFfts::TileColumnFfts(device::Arena& arena, const FourStepFft& shape,
                               const TwoLevels& levels, const HostFftSettings& settings)
    : ColumnFfts(shape, device::MemoryKind::host),
      plan_(arena, levels, settings.loops),
      twiddles_(arena, shape.points()),
      workspaces_(tile_workspaces(
          arena, plan_, std::clamp<std::int64_t>(shape.my_tiles().size(), 1, settings.threads))) {
    make_target_blocks(arena);
    fft_ = plan_.fft(target_blocks_, whole_blocks_, exceeds(shape, settings.caches));
}

void TileColumnFfts::make_target_blocks(device::Arena& arena) {
    whole_blocks_ = plan_.levels().first % block_bins == 0;
    std::int64_t part = 0;
    for (int to = 0; to < shape().ranks; ++to) {
        const Range bins = shape().bins_of(to);
        whole_blocks_ = whole_blocks_ && bins.begin % block_bins == 0;
        for (std::int64_t block = 0; block < shape().blocks_of(to); ++block)
            target_blocks_.push_back(
                {bins.begin + block * block_bins,
                 part + block_index(block, 0, shape().my_tiles().size()) * block_size});
        part += shape().part_size(shape().rank, to);
    }
    arena.reserve(bytes_of<TargetBlock>(std::ssize(target_blocks_)));
}

void TileColumnFfts::enqueue(device::View<const Point> tiles, device::View<double> parts,
                             device::Stream& stream) {
    const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                       to = parts.data()] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            const Range mine = block_range(shape().my_tiles().size(), threads, thread);
            for (std::int64_t tile = mine.begin; tile < mine.end; ++tile)
                transform(tile, from, to, workspaces_[static_cast<std::size_t>(thread)].work);
            plan_.loops().finish_past_caches();
        });
    };
    stream.enqueue(Phase::compute, "tiles", work);
}

void TileColumnFfts::transform(std::int64_t tile, const double* points, double* parts,
                               const TileWork& work) const {
    make_tile_twiddles(shape().my_tiles().begin + tile, work);
    const double* mine = points + 2 * tile * shape().length;
    const double* next = mine + 2 * shape().length;
    plan_.loops().tile_columns(fft_, work, 0, plan_.column_strips().strips(), mine, next);
    plan_.loops().tile_rows(fft_, work, next + shape().length, parts + tile * block_size);
}

// w_N^(t k1) as a product over k1 = ka + A kb. No exponent reaches N, since t < T and k1 < M.
void TileColumnFfts::make_tile_twiddles(std::int64_t tile, const TileWork& work) const {
    const auto t = static_cast<std::uint64_t>(tile);
    const LaneStrips rows = plan_.row_strips();
    for (std::int64_t strip = 0; strip < rows.strips(); ++strip) {
        double* twiddles = work.outer_twiddles + strip * 2 * rows.lanes;
        for (std::int64_t lane = 0; lane < rows.lanes; ++lane) {
            const auto root = twiddles_(t * static_cast<std::uint64_t>(rows.begin(strip) + lane));
            twiddles[lane] = root.real();
            twiddles[rows.lanes + lane] = root.imag();
        }
    }
    const std::uint64_t step = t * static_cast<std::uint64_t>(plan_.levels().first);
    for (std::int64_t kb = 0; kb < plan_.levels().second; ++kb) {
        const auto root = twiddles_(step * static_cast<std::uint64_t>(kb));
        work.inner_twiddles[2 * kb] = root.real();
        work.inner_twiddles[2 * kb + 1] = root.imag();
    }
}

/// The whole transform as one tile.
class OnlyTileFft final : public SingleRankFft {
  public:
    OnlyTileFft(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                const HostFftSettings& settings)
        : SingleRankFft(shape, device::MemoryKind::host),
          plan_(arena, levels, settings.loops),
          scratch_(arena.make<double>(TilePlan::scratch(levels, settings.loops.lanes),
                                      device::MemoryKind::host)),
          workspaces_(
              tile_workspaces(arena, plan_, useful_threads(shape.length, settings.threads))) {
        for (Workspace<TileWork>& workspace : workspaces_)
            workspace.work.scratch = scratch_.view().data();
    }
    [[nodiscard]] std::string description() const override { return plan_.description(); }

    /// As many threads as a tile keeps busy for longer than they wait for each other.
    static std::int64_t useful_threads(std::int64_t length, int threads) {
        constexpr std::int64_t least_points = std::int64_t{1} << 12;
        return std::clamp<std::int64_t>(length / least_points, 1, threads);
    }

  private:
    void enqueue(device::View<const Point> tiles, device::View<Point> bins,
                 device::Stream& stream) override {
        const auto work = [this, from = reinterpret_cast<const double*>(tiles.data()),
                           to = reinterpret_cast<double*>(bins.data())] {
            const TileFft fft = plan_.fft({}, true, false);
            const auto threads = static_cast<int>(workspaces_.size());
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.column_strips().strips(), threads, thread);
                plan_.loops().tile_columns(fft, work_of(thread), mine.begin, mine.end, from, from);
            });
            system::parallel_parts(threads, [&](int thread) {
                const Range mine = block_range(plan_.row_strips().strips(), threads, thread);
                plan_.loops().only_tile_rows(fft, work_of(thread), mine.begin, mine.end, to);
            });
        };
        stream.enqueue(Phase::compute, "fft", work);
    }
    [[nodiscard]] const TileWork& work_of(int thread) const {
        return workspaces_[static_cast<std::size_t>(thread)].work;
    }

    TilePlan plan_;
    device::Buffer<double> scratch_;               ///< of all threads
    std::vector<Workspace<TileWork>> workspaces_;  ///< by thread
};

/// The addresses of the blocks that one thread's row FFTs read, by rank.
struct RowSources {
    std::vector<const double*> block;  ///< this row's
    std::vector<const double*> next;   ///< and the next row's
};

RowWork row_work(const TwoLevels& levels, std::int64_t lanes, WorkMemory& memory) {
    RowWork work{};
    work.stages = memory.take(4 * lanes * std::max(levels.first, levels.second));
    work.scratch = memory.take(2 * lanes * levels.first * (levels.second + 1));
    return work;
}

/// Row FFTs by the loops.
class BlockRowFfts final : public RowFfts {
  public:
    BlockRowFfts(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
                 const HostFftSettings& settings);
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}{} in {} lanes",
                           first_.length() == 1 ? "" : fmt::format("{} x ", first_.length()),
                           second_.length(), loops_.lanes);
    }

  private:
    void enqueue(std::span<const device::View<const double>> parts, device::View<Point> bins,
                 device::Stream& stream) override;
    void transform_blocks(const Range& blocks, std::span<const device::View<const double>> parts,
                          double* bins, std::size_t thread);
    void find_blocks(std::int64_t block, std::span<const device::View<const double>> parts,
                     std::vector<const double*>& addresses) const;

    const Loops& loops_;
    bool past_caches_;
    std::int64_t columns_;                        ///< of the result: k1 of this rank
    SmallFftPlan first_;                          ///< A, 1 if there is one level
    SmallFftPlan second_;                         ///< B
    std::vector<TileSource> sources_;             ///< by t
    std::vector<double> twiddles_;                ///< [b][ka], re and im: w_T^(b ka)
    std::vector<Workspace<RowWork>> workspaces_;  ///< by thread
    std::vector<RowSources> addresses_;           ///< by thread
};

BlockRowFfts::BlockRowFfts(device::Arena& arena, const FourStepFft& shape, const TwoLevels& levels,
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
            for (std::int64_t ka = 0; ka < levels.first; ++ka) {
                const auto root = roots(static_cast<std::uint64_t>(b * ka));
                twiddles_.push_back(root.real());
                twiddles_.push_back(root.imag());
            }
        }
    }
    const auto threads = std::clamp<std::int64_t>(shape.blocks_of(shape.rank), 1, settings.threads);
    for (std::int64_t thread = 0; thread < threads; ++thread) {
        workspaces_.emplace_back(
            arena, [&](WorkMemory& memory) { return row_work(levels, loops_.lanes, memory); });
        addresses_.push_back({arena.make_vector<const double*>(shape.ranks),
                              arena.make_vector<const double*>(shape.ranks)});
        workspaces_.back().work.block = addresses_.back().block.data();
        workspaces_.back().work.next = addresses_.back().next.data();
    }
}

void BlockRowFfts::enqueue(std::span<const device::View<const double>> parts,
                           device::View<Point> bins, device::Stream& stream) {
    const auto work = [this, parts, to = reinterpret_cast<double*>(bins.data())] {
        const auto threads = static_cast<int>(workspaces_.size());
        system::parallel_parts(threads, [=, this](int thread) {
            transform_blocks(block_range(shape().blocks_of(shape().rank), threads, thread), parts,
                             to, static_cast<std::size_t>(thread));
            loops_.finish_past_caches();
        });
    };
    stream.enqueue(Phase::merge, "combine", work);
}

void BlockRowFfts::find_blocks(std::int64_t block,
                               std::span<const device::View<const double>> parts,
                               std::vector<const double*>& addresses) const {
    for (int rank = 0; rank < shape().ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        addresses[index] =
            parts[index].data() + block_index(block, 0, shape().tiles_of(rank).size()) * block_size;
    }
}

void BlockRowFfts::transform_blocks(const Range& blocks,
                                    std::span<const device::View<const double>> parts, double* bins,
                                    std::size_t thread) {
    const bool lines = 2 * columns_ % block_bins == 0 &&  // rows begin with cache lines
                       std::bit_cast<std::uintptr_t>(bins) % 64 == 0;
    const RowFft fft{first_.fft(),     second_.fft(), sources_.data(),
                     twiddles_.data(), columns_,      lines && past_caches_};
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        find_blocks(block, parts, addresses_[thread].block);
        find_blocks(std::min(block + 1, blocks.end - 1), parts, addresses_[thread].next);
        const std::int64_t first = block * block_bins;
        loops_.rows(fft, workspaces_[thread].work, std::min(columns_ - first, block_bins),
                    bins + 2 * first);
    }
}

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
        const auto work = [this, parts, to = bins.data()] {
            const std::int64_t first = mine_.begin / shape().length;
            const std::int64_t rows = divide_up(mine_.end, shape().length) - first;
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range share = block_range(rows, threads_, thread);
                copy_rows({first + share.begin, first + share.end}, parts, to);
            });
        };
        stream.enqueue(Phase::merge, "natural", work);
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
        if (const auto levels = tile_levels(shape.length, settings_.loops))
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
        const auto levels = shape.tiles == 1 && shape.ranks == 1
                                ? tile_levels(shape.length, settings_.loops)
                                : std::nullopt;
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
    const auto work = [this, tile, from = blocks.data(), to = parts.data()] {
        system::parallel_parts(threads_, [=, this](int thread) {
            scatter(tile, block_range(shape_.blocks_of(0), threads_, thread), from, to);
            loops_.finish_past_caches();
        });
    };
    stream.enqueue(Phase::merge, "place", work);
}

// The twiddle of bin 8 b + l of tile t is w_N^(8 b t) w_N^(l t), the latter the same in all blocks.
void TileScatter::scatter(std::int64_t tile, const Range& range, const double* from,
                          double* to) const {
    constexpr std::int64_t chunk = 64;  // blocks whose roots are looked up at a time
    const auto t = static_cast<std::uint64_t>(tile);
    double within[block_size];
    for (std::int64_t lane = 0; lane < block_bins; ++lane) {
        const auto root = twiddles_.of_product(
            t, static_cast<std::uint64_t>(lane) % static_cast<std::uint64_t>(twiddles_.order()));
        within[lane] = root.real();
        within[block_bins + lane] = root.imag();
    }
    double roots[2 * chunk];
    for (std::int64_t begin = range.begin; begin < range.end; begin += chunk) {
        const std::int64_t count = std::min(chunk, range.end - begin);
        for (std::int64_t index = 0; index < count; ++index) {
            // Below N, as t < T and the block's first bin is below M.
            const auto root =
                twiddles_(t * static_cast<std::uint64_t>((begin + index) * block_bins));
            roots[2 * index] = root.real();
            roots[2 * index + 1] = root.imag();
        }
        loops_.scatter(from + begin * block_size, count, within, roots,
                       to + block_index(begin, tile, shape_.tiles) * block_size,
                       shape_.tiles * block_size, past_caches_);
    }
}

}  // namespace quartet::fft

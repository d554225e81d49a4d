#include "device/host/fft/host_ffts.hpp"

#include <algorithm>
#include <vector>

#include "device/host/fft/tile_plan.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

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

#include <algorithm>

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

}  // namespace

std::unique_ptr<ScatterTile> plan_host_scatter_tile(const FourStepFft& shape,
                                                    const HostFftSettings& settings) {
    require_valid(shape);
    return std::make_unique<HostScatterTile>(shape, settings);
}

}  // namespace quartet::device

#include "core/roots_of_unity.hpp"
#include "device/host/host_split_fft.hpp"
#include "device/host/lanes.hpp"
#include "device/host/parallel_for.hpp"
#include "device/host/require_host.hpp"
#include "streaming_store.hpp"

namespace quartet::device {

namespace {

/// One multiplication a bin: the factor of bin 8 c + l of tile t is w_N^(8 c t) w_N^(l t), the
/// latter the same in all cells.
class HostPlacePass final : public PlacePass {
  public:
    HostPlacePass(const SplitFft& split, int threads)
        : split_(split), threads_(threads), roots_(split.points()) {
        check(split.ranks == 1, "place pass: for the tiles of one rank");
    }

    void run(std::int64_t tile, View<const double> cells, View<double> parts,
             Stream& stream) override {
        check(tile >= 0 && tile < split_.tiles, "place pass: no such tile");
        require_host(cells, split_.cells_of(0) * SplitFft::cell_size,
                     "place pass: not the size of a tile's cells");
        require_host(parts, split_.parts_size(), "place pass: not the size of all cells");
        require_apart(cells, parts);
        const auto work = [this, tile, from = cells.data(), to = parts.data()] {
            parallel_parts(threads_, [=, this](int thread) {
                place(tile, block_range(split_.cells_of(0), threads_, thread), from, to);
                finish_streaming();
            });
        };
        stream.enqueue(Phase::merge, "place", work);
    }

  private:
    void place(std::int64_t tile, const Range& range, const double* from, double* to) const {
        const auto t = static_cast<std::uint64_t>(tile);
        Lanes within;
        for (int lane = 0; lane < lane_count; ++lane) {
            const auto root = roots_.of_product(
                t, static_cast<std::uint64_t>(lane) % static_cast<std::uint64_t>(roots_.order()));
            within.re[lane] = root.real();
            within.im[lane] = root.imag();
        }
        const auto* source = reinterpret_cast<const Lanes*>(from);
        for (std::int64_t cell = range.begin; cell < range.end; ++cell) {
            // Below N, as t < T and the cell's first bin is below M.
            const auto root = roots_(t * static_cast<std::uint64_t>(cell * lane_count));
            const double factor[2] = {root.real(), root.imag()};
            const Lanes value = source[cell] * times(within, factor);
            double* place = to + cell_index(cell, tile, split_.tiles) * SplitFft::cell_size;
            store_streaming(value.re, place);
            store_streaming(value.im, place + lane_count);
        }
    }

    SplitFft split_;
    int threads_;
    RootsOfUnity roots_;
};

}  // namespace

std::unique_ptr<PlacePass> plan_host_place_pass(const SplitFft& split, int threads) {
    require_valid(split);
    return std::make_unique<HostPlacePass>(split, threads);
}

}  // namespace quartet::device

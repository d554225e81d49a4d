#include <cstring>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/host_four_step_fft.hpp"
#include "device/host/fft/simd_complex.hpp"
#include "device/host/runtime/require_host.hpp"
#include "streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t ahead = 8;  // cells, which another core has in its cache
// What the caches of a core hold, about.
constexpr Bytes cached{std::int64_t{4} << 20};

/// One multiplication a bin: the factor of bin 8 c + l of tile t is w_N^(8 c t) w_N^(l t), the
/// latter the same in all cells.
class HostScatterTile final : public ScatterTile {
  public:
    HostScatterTile(const FourStepFft& split, int threads)
        : split_(split),
          threads_(threads),
          stays_in_cache_(bytes_of<double>(split.parts_size()) <= cached),
          roots_(split.points()) {
        check(split.ranks == 1, "place pass: for the tiles of one rank");
    }

    void run(std::int64_t tile, View<const double> cells, View<double> parts,
             Stream& stream) override {
        check(tile >= 0 && tile < split_.tiles, "place pass: no such tile");
        require_host(cells, split_.cells_of(0) * FourStepFft::cell_size,
                     "place pass: not the size of a tile's cells");
        require_host(parts, split_.parts_size(), "place pass: not the size of all cells");
        require_apart(cells, parts);
        const auto work = [this, tile, from = cells.data(), to = parts.data()] {
            system::parallel_parts(threads_, [=, this](int thread) {
                const Range mine = block_range(split_.cells_of(0), threads_, thread);
                if (stays_in_cache_) {
                    const std::int64_t later = ahead * split_.tiles * FourStepFft::cell_size;
                    place(tile, mine, from, to, [=](const SimdComplex& value, double* place) {
                        __builtin_prefetch(place + later, 1, 2);
                        __builtin_prefetch(place + later + lane_count, 1, 2);
                        std::memcpy(place, &value, sizeof value);
                    });
                    return;
                }
                place(tile, mine, from, to, [](const SimdComplex& value, double* place) {
                    store_streaming(value.re, place);
                    store_streaming(value.im, place + lane_count);
                });
                finish_streaming();
            });
        };
        stream.enqueue(Phase::merge, "place", work);
    }

  private:
    template <typename Store>
    void place(std::int64_t tile, const Range& range, const double* from, double* to,
               Store store) const {
        const auto t = static_cast<std::uint64_t>(tile);
        SimdComplex within;
        for (int lane = 0; lane < lane_count; ++lane) {
            const auto root = roots_.of_product(
                t, static_cast<std::uint64_t>(lane) % static_cast<std::uint64_t>(roots_.order()));
            within.re[lane] = root.real();
            within.im[lane] = root.imag();
        }
        const auto* source = reinterpret_cast<const SimdComplex*>(from);
        for (std::int64_t cell = range.begin; cell < range.end; ++cell) {
            // Below N, as t < T and the cell's first bin is below M.
            const auto root = roots_(t * static_cast<std::uint64_t>(cell * lane_count));
            const double factor[2] = {root.real(), root.imag()};
            prefetch_cell(source + cell + ahead);
            const SimdComplex value = source[cell] * times(within, factor);
            double* place = to + cell_index(cell, tile, split_.tiles) * FourStepFft::cell_size;
            store(value, place);
        }
    }

    FourStepFft split_;
    int threads_;
    bool stays_in_cache_;  ///< what is placed, until it is read
    RootsOfUnity roots_;
};

}  // namespace

std::unique_ptr<ScatterTile> plan_host_scatter_tile(const FourStepFft& split, int threads) {
    require_valid(split);
    return std::make_unique<HostScatterTile>(split, threads);
}

}  // namespace quartet::device

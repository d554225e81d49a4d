#include <cstring>

#include "core/roots_of_unity.hpp"
#include "device/host/fft/host_ffts.hpp"
#include "device/host/fft/simd_complex.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/host/simd/streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t ahead = 8;  // blocks to prefetch: another core has them in its cache
// About what the caches of one core hold.
constexpr Bytes cached{std::int64_t{4} << 20};

/// The twiddle of bin 8 b + l of tile t is w_N^(8 b t) w_N^(l t), the latter the same in all
/// blocks.
class HostScatterTile final : public ScatterTile {
  public:
    HostScatterTile(const FourStepFft& shape, int threads)
        : shape_(shape),
          threads_(threads),
          stays_in_cache_(bytes_of<double>(shape.parts_size()) <= cached),
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
                if (stays_in_cache_) {
                    const std::int64_t later = ahead * shape_.tiles * FourStepFft::block_size;
                    scatter(tile, mine, from, to, [=](const SimdComplex& value, double* address) {
                        __builtin_prefetch(address + later, 1, 2);
                        __builtin_prefetch(address + later + simd_width, 1, 2);
                        std::memcpy(address, &value, sizeof value);
                    });
                    return;
                }
                scatter(tile, mine, from, to, [](const SimdComplex& value, double* address) {
                    store_streaming(value.re, address);
                    store_streaming(value.im, address + simd_width);
                });
                finish_streaming();
            });
        };
        stream.enqueue(Phase::merge, "place", work);
    }

  private:
    template <typename Store>
    void scatter(std::int64_t tile, const Range& range, const double* from, double* to,
                 Store store) const {
        const auto t = static_cast<std::uint64_t>(tile);
        SimdComplex within;
        for (int lane = 0; lane < simd_width; ++lane) {
            const auto root =
                twiddles_.of_product(t, static_cast<std::uint64_t>(lane) %
                                            static_cast<std::uint64_t>(twiddles_.order()));
            within.re[lane] = root.real();
            within.im[lane] = root.imag();
        }
        const auto* source = reinterpret_cast<const SimdComplex*>(from);
        for (std::int64_t block = range.begin; block < range.end; ++block) {
            // Below N, as t < T and the block's first bin is below M.
            const auto root = twiddles_(t * static_cast<std::uint64_t>(block * simd_width));
            const double first[2] = {root.real(), root.imag()};
            prefetch_block(source + block + ahead);
            const SimdComplex value = source[block] * times(within, first);
            double* address = to + block_index(block, tile, shape_.tiles) * FourStepFft::block_size;
            store(value, address);
        }
    }

    FourStepFft shape_;
    int threads_;
    bool stays_in_cache_;    ///< the parts, until they are read
    RootsOfUnity twiddles_;  ///< powers of w_N
};

}  // namespace

std::unique_ptr<ScatterTile> plan_host_scatter_tile(const FourStepFft& shape, int threads) {
    require_valid(shape);
    return std::make_unique<HostScatterTile>(shape, threads);
}

}  // namespace quartet::device

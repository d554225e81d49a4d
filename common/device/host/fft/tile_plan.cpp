#include "device/host/fft/tile_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/roots_of_unity.hpp"
#include "device/host/runtime/host_memory.hpp"

namespace quartet::device {

Buffer<double> host_doubles(std::int64_t size) {
    return {allocate_host_memory(bytes_of<double>(size), MemoryKind::host, 1), size};
}

TileWorkspace::TileWorkspace(const TileSizes& sizes) : memory(host_doubles(sizes.workspace())) {
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

TilePlan::TilePlan(const TwoLevels& levels, const Loops& loops)
    : sizes_{levels, loops.lanes},
      loops_(loops),
      first_(levels.first, loops.registers),
      second_(levels.second, loops.registers),
      middle_twiddles_(host_doubles(sizes_.middle_twiddles())) {
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

std::string TilePlan::description() const {
    return fmt::format("{} x {} in {} lanes", first_.length(), second_.length(), sizes_.lanes);
}

std::optional<TwoLevels> tile_levels(std::int64_t length, const Loops& loops) {
    return two_levels(length, FourStepFft::block_bins, FourStepFft::block_bins, loops.registers);
}

}  // namespace quartet::device

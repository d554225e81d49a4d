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
    work.scratch = take(sizes.scratch());
    work.halves = take(sizes.halves());
    work.outer_twiddles = take(sizes.outer_twiddles());
    work.unsorted = take(sizes.unsorted());
    work.inner_twiddles = take(sizes.inner_twiddles());
}

namespace {

// w_length^(index k) for each k below `count`, with the indices of a strip in the lanes.
double* write_strip(double* to, const RootsOfUnity& roots, std::int64_t begin, std::int64_t count,
                    std::int64_t lanes) {
    for (std::int64_t k = 0; k < count; ++k, to += 2 * lanes) {
        for (int lane = 0; lane < lanes; ++lane) {
            const std::int64_t index = begin + pair_order(lane, static_cast<int>(lanes));
            const auto root = roots(static_cast<std::uint64_t>(index * k));
            to[lane] = root.real();
            to[lanes + lane] = root.imag();
        }
    }
    return to;
}

}  // namespace

TilePlan::TilePlan(const TwoLevels& levels, const Loops& loops)
    : sizes_{levels, loops.lanes},
      loops_(loops),
      first_(levels.first, loops.registers),
      second_(levels.second, loops.registers, Lanes::points),
      middle_twiddles_(host_doubles(sizes_.middle_twiddles())),
      row_twiddles_(host_doubles(sizes_.row_twiddles())) {
    const Strips columns{levels.second, sizes_.lanes};
    const RootsOfUnity roots(levels.first * levels.second);
    double* next = middle_twiddles_.view().data();
    for (std::int64_t strip = 0; strip < columns.strips(); ++strip)
        next = write_strip(next, roots, columns.begin(strip), levels.first, sizes_.lanes);
    if (!second_.has_points_in_lanes())
        return;
    const SmallFftStage& stage = second_.fft().stage[second_.fft().stages - 1];
    const RootsOfUnity row_roots(levels.second);
    next = row_twiddles_.view().data();
    for (std::int64_t c = 0; c < stage.radix; c += sizes_.lanes)
        next = write_strip(next, row_roots, c, stage.before, sizes_.lanes);
}

std::string TilePlan::description() const {
    return fmt::format("{} x {} in {} lanes", first_.length(), second_.length(), sizes_.lanes);
}

std::optional<TwoLevels> tile_levels(std::int64_t length, const Loops& loops) {
    return two_levels(length, FourStepFft::block_bins, FourStepFft::block_bins, loops.registers,
                      Lanes::points);
}

}  // namespace quartet::device

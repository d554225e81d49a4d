#include "matmul/native/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "matmul/native/file_product.hpp"
#include "matmul/native/streamed_product.hpp"
#include "matmul/tiles/staged_tiles.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t largest_tile = 8192;
constexpr std::int64_t smallest_tile = 64;
// Below this a product no longer fills a large GPU: smaller tiles are chosen for want of memory
// only.
constexpr std::int64_t least_full_tile = 1024;
constexpr std::int64_t tiles_held = 32;     // tiles of C, and room to look ahead
constexpr std::int64_t tiles_per_edge = 4;  // of a rank's block: the first copies are a small part

// The most slots, and the most look-ahead up to the device's, that the memory holds.
std::optional<Blocking> staging(const Problem& problem, const Block& block, Blocking blocking,
                                Bytes memory) {
    const auto fits = [&](std::int64_t slots) {
        return StagedTiles::buffers(problem, slots).sum() <= memory;
    };
    for (; blocking.lookahead >= 0; --blocking.lookahead) {
        blocking.slots = least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
        if (fits(blocking.slots)) {
            const Bytes spare = memory - StagedTiles::buffers(problem, blocking.slots).sum();
            const std::int64_t all = problem.tiles() * (block.rows.size() + block.columns.size());
            blocking.slots = std::max(
                blocking.slots,
                std::min(all, blocking.slots + spare.value / TileFiles::slot_bytes(problem).value));
            return blocking;
        }
    }
    return std::nullopt;
}

}  // namespace

void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    throw UsageError(fmt::format(
        "tiles of {} x {} take at least {} of GPU memory per rank ({} are allowed; a tile is {}, "
        "products and limits take {}): give more --device-memory, or a smaller --tile{}",
        problem.extent(0), problem.extent(0), to_string(least), to_string(budget.allowed),
        to_string(problem.tile_bytes()), to_string(budget.elsewhere),
        budget.lookahead ? " or --lookahead" : ""));
}

DevicePlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget) {
    const TileMemory tiles = StreamedProduct::tile_memory(problem);
    const auto blocking = choose_blocking(problem, block, tiles, budget.allowed - budget.elsewhere,
                                          budget.lookahead, budget.most_held);
    if (!blocking) {
        refuse_tiles(problem, least_memory(tiles, budget.lookahead) + budget.elsewhere, budget);
    }
    return {.blocking = *blocking,
            .copies = planned_traffic(problem, block, *blocking),
            .buffers = buffers_of(*blocking, tiles)};
}

FilePlan plan_staging(const Problem& problem, const Block& block, int ranks,
                      const MemoryBudget& host, const Blocking& on_device) {
    const Bytes memory = host.allowed - host.elsewhere;
    const auto blocking = staging(problem, block, on_device, memory);
    if (!blocking) {
        const std::int64_t least = least_slots(block, on_device.rows, on_device.columns, 0);
        throw UsageError(fmt::format(
            "tiles of {} x {} in files take at least {} of page-locked memory per rank ({} are "
            "allowed): give more --memory, less --device-memory, or a smaller --tile",
            problem.extent(0), problem.extent(0),
            to_string(StagedTiles::buffers(problem, least).sum() + host.elsewhere),
            to_string(host.allowed)));
    }
    FilePlan plan;
    plan.blocking = *blocking;
    plan.traffic = planned_traffic(problem, block, *blocking);
    plan.best = plan.traffic.sum();
    plan.lower_bound = lower_bound(problem, ranks, host.allowed);
    plan.buffers = StagedTiles::buffers(problem, blocking->slots);
    return plan;
}

std::int64_t choose_tile(std::int64_t size, int ranks, Bytes device_memory) {
    const double share = static_cast<double>(size) / std::sqrt(static_cast<double>(ranks));
    std::int64_t tile = largest_tile;
    while (tile > smallest_tile && tiles_held * bytes_of<float>(tile * tile) > device_memory) {
        tile /= 2;
    }
    while (tile > least_full_tile && static_cast<double>(tiles_per_edge * tile) > share) {
        tile /= 2;
    }
    return std::min(tile, size);
}

std::int64_t device_probe_edge(std::int64_t size, Bytes device_memory) {
    std::int64_t edge = largest_tile;
    while (edge > smallest_tile &&
           std::int64_t{8} * 3 * bytes_of<float>(edge * edge) > device_memory) {
        edge /= 2;
    }
    return std::min(edge, size);
}

std::string describe(const DevicePlan& plan) {
    const Blocking& blocking = plan.blocking;
    return fmt::format(
        "on the GPU {} x {} tiles of C held, {} slots for A and B, {} products of look-ahead; a "
        "rank copies {} in and {} out",
        blocking.rows, blocking.columns, blocking.slots, blocking.lookahead,
        to_string(plan.copies.read), to_string(plan.copies.written));
}

}  // namespace quartet::matmul

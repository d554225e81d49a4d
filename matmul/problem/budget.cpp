#include "matmul/problem/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quartet::matmul {

namespace {

constexpr std::int64_t largest_tile = 8192;
constexpr std::int64_t smallest_tile = 64;
// Below this a product no longer fills a large GPU: smaller tiles are chosen for want of memory
// only.
constexpr std::int64_t least_full_tile = 1024;
constexpr std::int64_t tiles_held = 32;     // tiles of C, and room to look ahead
constexpr std::int64_t tiles_per_edge = 4;  // of a rank's block: the first copies are a small part

}  // namespace

Bytes allowed_memory(const bench::Session& session) {
    const comm::Topology& topology = session.topology();
    return session.options().memory.value_or(
        Bytes{topology.resources().memory_available.value / 2 / topology.mine().local_size});
}

Bytes allowed_device_memory(bench::Session& session) {
    return session.options().device_memory.value_or(session.gpus().memory_share());
}

void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    throw UsageError(fmt::format(
        "tiles of {} x {} take at least {} of GPU memory per rank ({} are allowed; a tile is {}, "
        "products and limits take {}): give more --device-memory, or a smaller --tile{}",
        problem.extent(0), problem.extent(0), to_string(least), to_string(budget.allowed),
        to_string(problem.tile_bytes()), to_string(budget.elsewhere),
        budget.lookahead ? " or --lookahead" : ""));
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

}  // namespace quartet::matmul

#include "bench/session/gpu_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/check.hpp"
#include "device/device_kind.hpp"

namespace quartet::bench {

namespace {

std::string text_of(const std::optional<GpuMap>& map) {
    return map ? fmt::format("{}", fmt::join(*map, ",")) : "";
}

/// Why the map does not fit this rank's node; nothing if it does.
std::optional<std::string> why_wrong(const GpuMap& map, int visible,
                                     const comm::Placement& placement) {
    if (std::ssize(map) != placement.local_size) {
        return fmt::format(
            "--gpu-map {}: {} numbers ({} has {} ranks, and each needs its own): name a GPU for "
            "each rank of a node",
            text_of(map), map.size(), placement.host, placement.local_size);
    }
    const int gpu = map[static_cast<std::size_t>(placement.local_rank)];
    if (gpu >= visible) {
        return fmt::format("--gpu-map {}: no GPU {} (a rank on {} sees {}, numbered from 0): {}",
                           text_of(map), gpu, placement.host, visible,
                           visible == 1 ? "use 0, or let ranks see more" : "use those");
    }
    return std::nullopt;
}

int nearest_gpu(const std::vector<std::string>& visible, const comm::Topology& topology) {
    const comm::Communicator& node = topology.node();
    const comm::Placement& mine = topology.mine();
    const auto seen = node.gather(fmt::format("{}", fmt::join(visible, ",")));
    const bool alike = std::ranges::adjacent_find(seen, std::not_equal_to()) == seen.end();
    if (!alike || visible.size() == 1) {
        return device::accelerator_of_rank(mine.local_rank, visible.size());
    }
    const auto known = comm::distances_to(visible, mine.cpus);
    std::vector<double> row(known.begin(), known.end());
    row.resize(visible.size());
    const auto rows = node.gather(row);
    std::vector<std::vector<int>> distances;
    for (auto begin = rows.begin(); begin != rows.end(); begin += std::ssize(visible)) {
        distances.emplace_back(begin, begin + std::ssize(visible));
    }
    return deal_gpus(distances)[static_cast<std::size_t>(mine.local_rank)];
}

}  // namespace

GpuMap deal_gpus(const std::vector<std::vector<int>>& distances) {
    struct Pair {
        int distance;
        std::size_t rank;
        std::size_t gpu;
    };
    const std::size_t gpus = distances.front().size();
    std::vector<Pair> pairs;
    for (std::size_t rank = 0; rank < distances.size(); ++rank) {
        for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
            pairs.push_back({distances[rank][gpu], rank, gpu});
        }
    }
    std::ranges::stable_sort(pairs, {}, &Pair::distance);
    constexpr int none = -1;
    GpuMap dealt(distances.size(), none);
    for (std::size_t served = 0; served < dealt.size(); served += gpus) {
        std::vector<bool> taken(gpus);
        for (const Pair& pair : pairs) {
            if (dealt[pair.rank] == none && !taken[pair.gpu]) {
                dealt[pair.rank] = static_cast<int>(pair.gpu);
                taken[pair.gpu] = true;
            }
        }
    }
    return dealt;
}

int choose_gpu(const std::optional<GpuMap>& map, const std::vector<std::string>& visible,
               const comm::Topology& topology, const comm::Communicator& world) {
    const auto texts = world.gather(text_of(map));
    if (std::ranges::adjacent_find(texts, std::not_equal_to()) != texts.end()) {
        throw UsageError(
            "--gpu-map differs between ranks (it is one list for the ranks of every node): give "
            "all ranks the same");
    }
    const comm::Placement& placement = topology.mine();
    if (!map) {
        return nearest_gpu(visible, topology);
    }
    const int gpus = static_cast<int>(visible.size());
    if (const auto problem = world.first(why_wrong(*map, gpus, placement))) {
        throw UsageError(*problem);
    }
    return (*map)[static_cast<std::size_t>(placement.local_rank)];
}

}  // namespace quartet::bench

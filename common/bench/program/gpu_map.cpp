#include "bench/program/gpu_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/program/command_line.hpp"
#include "device/registry.hpp"

namespace quartet::bench {

namespace {

constexpr int most_gpus = 1024;  // that any node has

std::string text_of(const std::optional<GpuMap>& map) {
    return map ? fmt::format("{}", fmt::join(*map, ",")) : "";
}

/// What is wrong with the map on this rank's node, or nothing.
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

}  // namespace

GpuMap parse_gpu_map(std::string_view text) {
    GpuMap map;
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        map.push_back(static_cast<int>(parse_count(text.substr(0, comma), 0, most_gpus - 1)));
        if (comma == text.size()) {
            return map;
        }
        text.remove_prefix(comma + 1);
    }
}

int choose_gpu(const std::optional<GpuMap>& map, int visible, const comm::Topology& topology,
               const comm::Communicator& world) {
    const auto texts = world.gather(text_of(map));
    if (std::ranges::adjacent_find(texts, std::not_equal_to()) != texts.end()) {
        throw UsageError(
            "--gpu-map differs between ranks (it is one list for the ranks of every node): give "
            "all ranks the same");
    }
    const comm::Placement& placement = topology.mine();
    if (!map) {
        return device::accelerator_of_rank(placement.local_rank, visible);
    }
    if (const auto problem = world.first(why_wrong(*map, visible, placement))) {
        throw UsageError(*problem);
    }
    return (*map)[static_cast<std::size_t>(placement.local_rank)];
}

}  // namespace quartet::bench

#include "comm/topology/gpus_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/info/current_gpu.hpp"

namespace quartet::comm {

// Parts of one GPU (MIG) have UUIDs of their own.
std::vector<std::string> gpus_of_ranks(const TransportContext& context) {
    return context.world.gather(
        fmt::format("{} {}", context.topology.mine().node, device::current_gpu_facts().uuid));
}

bool any_shared(std::vector<std::string> places) {
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) != places.end();
}

}  // namespace quartet::comm

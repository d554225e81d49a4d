#include "comm/transport/support/gpus_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/accelerator.hpp"

namespace quartet::comm {

// Parts of one GPU (MIG) have UUIDs of their own.
std::vector<std::string> gpus_of_ranks(const TransportContext& context) {
    const device::Accelerator* gpu = context.device.accelerator();
    return context.world.gather(fmt::format("{} {}", context.topology.mine().node,
                                            gpu == nullptr ? "" : gpu->facts().uuid));
}

bool any_shared(std::vector<std::string> places) {
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) != places.end();
}

}  // namespace quartet::comm

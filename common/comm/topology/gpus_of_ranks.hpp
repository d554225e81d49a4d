#pragma once

#include <string>
#include <vector>

#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

/// Which GPU each rank computes on, by rank: the same text where they share one. Collective.
std::vector<std::string> gpus_of_ranks(const TransportContext& context);

/// Whether two of them are the same.
bool any_shared(std::vector<std::string> places);

}  // namespace quartet::comm

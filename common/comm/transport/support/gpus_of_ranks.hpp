#pragma once

#include <string>
#include <vector>

#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

/// The GPU of each rank, by rank, as a text: ranks that share one have the same. Collective.
std::vector<std::string> gpus_of_ranks(const TransportContext& context);

/// Whether two of the places are the same.
bool any_shared(std::vector<std::string> places);

}  // namespace quartet::comm

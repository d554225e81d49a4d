#pragma once

#include <string>

#include "comm/mpi/communicator.hpp"

namespace quartet::bench {

/// What each rank chose by its own clock, said of all of them: "A", or "A on 3 of 4 ranks, B on 1
/// of 4 ranks". An empty choice counts for none. The same answer on all ranks. Collective.
std::string by_ranks(const std::string& choice, const comm::Communicator& world);

}  // namespace quartet::bench

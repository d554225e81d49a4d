#include <algorithm>

#include "comm/mpi/idle.hpp"
#include "device/model/stand_in.hpp"

namespace quartet::comm {

namespace {

// A message is noticed late by at most this share of what was waited for it: by less, more polls
// would be simulated.
constexpr double latest = 0.005;
constexpr Seconds shortest{2e-8};

}  // namespace

void idle(Seconds waited) {
    device::let_pass(std::max(shortest, latest * waited));
}

}  // namespace quartet::comm

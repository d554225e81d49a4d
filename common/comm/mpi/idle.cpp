#include "comm/mpi/idle.hpp"

#include <sched.h>

#include <algorithm>

#include "device/model/emulation.hpp"

namespace quartet::comm {

namespace {

// A simulated rank notices a message late by at most this share of what it waited for it: by less,
// more polls would be simulated.
constexpr double latest = 0.005;
constexpr Seconds shortest{2e-8};

}  // namespace

void idle(Seconds waited) {
    if (device::ranks_are_simulated()) {
        device::let_pass(std::max(shortest, latest * waited));
    } else {
        sched_yield();
    }
}

}  // namespace quartet::comm

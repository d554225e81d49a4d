#pragma once

#include <functional>

#include "comm/mpi/communicator.hpp"
#include "core/linear_clock.hpp"

namespace quartet::comm {

/// How far rank 0's clock is ahead of this rank's. Rank 0 answers several messages with its time;
/// the quickest round trip counts, with the answer in its middle (Cristian, Probabilistic clock
/// synchronization, 1989). The error is at most half of that round trip. `clock` is the clock to
/// compare, for tests. Collective; the ranks are compared one after another.
ClockReading compare_with_root(const Communicator& comm,
                               const std::function<Seconds()>& clock = now);

}  // namespace quartet::comm

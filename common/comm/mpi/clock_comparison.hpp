#pragma once

#include <functional>

#include "comm/mpi/communicator.hpp"
#include "core/linear_clock.hpp"

namespace quartet::comm {

/// How far rank 0's clock is ahead of this rank's: several messages go there and back, rank 0
/// answering with its time, and the quickest of them counts, its answer taken to be of the middle
/// (Cristian, Probabilistic clock synchronization, 1989). Wrong by half of that round trip at most.
/// `clock` is the clock to compare, for tests. Collective; the ranks take their turns.
ClockReading compare_with_root(const Communicator& comm,
                               const std::function<Seconds()>& clock = now);

}  // namespace quartet::comm

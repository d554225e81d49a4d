#pragma once

#include <functional>

#include "comm/mpi/communicator.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// Ranks that compare their clocks with one leader, at most: all of them where they are few, else
/// near the square root of `ranks`, so that about 2 sqrt(P) ranks wait for one another instead of
/// P.
int clock_group(int ranks);

/// How far rank 0's clock is ahead of this rank's. A rank answers several messages with its time;
/// the quickest round trip counts, with the answer in its middle (Cristian, Probabilistic clock
/// synchronization, 1989). The error is at most half of that round trip. The first of each `group`
/// successive ranks is compared with rank 0, then the others with their first at the same time in
/// all groups: the two differences and their errors add up. `clock` is the clock to compare, for
/// tests. Collective.
ClockReading compare_with_root(const Communicator& comm, const std::function<Seconds()>& clock,
                               int group);
ClockReading compare_with_root(const Communicator& comm,
                               const std::function<Seconds()>& clock = now);

}  // namespace quartet::comm

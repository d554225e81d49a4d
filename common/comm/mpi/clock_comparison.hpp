#pragma once

#include "comm/mpi/communicator.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// How far rank 0's clock is ahead of this rank's. A rank answers several messages with its time;
/// the quickest round trip counts, with the answer in its middle (Cristian, Probabilistic clock
/// synchronization, 1989). The error is at most half of that round trip. More than 64 ranks are
/// compared in groups of about sqrt(P), so that only about 2 sqrt(P) ranks wait for one another:
/// the first rank of each group with rank 0, then, in all groups at the same time, the others with
/// their first. The two differences and their errors add up. Collective.
ClockReading compare_with_root(const Communicator& comm);

}  // namespace quartet::comm

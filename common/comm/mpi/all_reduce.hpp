#pragma once

#include "comm/mpi/communicator.hpp"

namespace quartet::comm {

/// The ranks' sum by MPI_Allreduce, as plain MPI programs compute it. MPI chooses the order of
/// additions, unlike Communicator::sum. Collective.
double all_reduce_sum(double value, const Communicator& comm);

}  // namespace quartet::comm

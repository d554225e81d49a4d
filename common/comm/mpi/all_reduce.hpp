#pragma once

#include "comm/mpi/communicator.hpp"

namespace quartet::comm {

/// The ranks' sum by MPI_Allreduce, as a user of plain MPI has it: unlike Communicator::sum it adds
/// in MPI's own order. Collective.
double all_reduce_sum(double value, const Communicator& comm);

}  // namespace quartet::comm

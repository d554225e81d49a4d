#include "comm/mpi/all_reduce.hpp"

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

double all_reduce_sum(double value, const Communicator& comm) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm.handle()));
    return value;
}

}  // namespace quartet::comm

#include <mpi.h>

#include "comm/mpi/thread_level.hpp"

namespace quartet::comm {

// The simulator always answers so, and does not mind threads that leave MPI alone.
int least_thread_level() {
    return MPI_THREAD_SINGLE;
}

}  // namespace quartet::comm

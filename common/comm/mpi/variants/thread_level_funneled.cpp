#include <mpi.h>

#include "comm/mpi/thread_level.hpp"

namespace quartet::comm {

int least_thread_level() {
    return MPI_THREAD_FUNNELED;
}

}  // namespace quartet::comm

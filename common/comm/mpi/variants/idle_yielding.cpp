#include <sched.h>

#include "comm/mpi/idle.hpp"

namespace quartet::comm {

void idle(Seconds /*waited*/) {
    sched_yield();
}

}  // namespace quartet::comm

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/mpi/communicator.hpp"
#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int round_trips = 32;
constexpr int clock_tag = 0;

// Answers each message of the rank `asking` with the time.
void answer(const Communicator& comm, int asking) {
    for (int trip = 0; trip < round_trips; ++trip) {
        check_mpi(
            MPI_Recv(nullptr, 0, MPI_DOUBLE, asking, clock_tag, comm.handle(), MPI_STATUS_IGNORE));
        const double time = now().value;
        check_mpi(MPI_Send(&time, 1, MPI_DOUBLE, asking, clock_tag, comm.handle()));
    }
}

ClockReading ask(const Communicator& comm, int answering) {
    ClockReading best;
    Seconds quickest{std::numeric_limits<double>::infinity()};
    for (int trip = 0; trip < round_trips; ++trip) {
        const Seconds sent = now();
        check_mpi(MPI_Send(nullptr, 0, MPI_DOUBLE, answering, clock_tag, comm.handle()));
        Seconds answered;
        check_mpi(MPI_Recv(&answered.value, 1, MPI_DOUBLE, answering, clock_tag, comm.handle(),
                           MPI_STATUS_IGNORE));
        const Seconds received = now();
        if (received - sent < quickest) {
            quickest = received - sent;
            best.at = sent + quickest / 2;
            best.ahead = answered - best.at;
        }
    }
    return best;
}

// How many ranks compare their clocks with one leader: all of them where they are few.
int group_size(int ranks) {
    constexpr int few = 64;
    return ranks <= few ? ranks : static_cast<int>(std::ceil(std::sqrt(ranks)));
}

}  // namespace

ClockReading compare_with_root(const Communicator& comm) {
    const int group = group_size(comm.size());
    const int rank = comm.rank();
    const int first = rank - rank % group;
    ClockReading reading;
    if (rank == 0) {
        for (int asking = group; asking < comm.size(); asking += group) {
            answer(comm, asking);
        }
    } else if (rank == first) {
        reading = ask(comm, 0);
    }
    if (rank == first) {
        for (int asking = rank + 1; asking < std::min(rank + group, comm.size()); ++asking) {
            answer(comm, asking);
            check_mpi(
                MPI_Send(&reading.ahead.value, 1, MPI_DOUBLE, asking, clock_tag, comm.handle()));
        }
    } else {
        reading = ask(comm, first);
        Seconds ahead;  // how far rank 0's clock is ahead of the first's
        check_mpi(MPI_Recv(&ahead.value, 1, MPI_DOUBLE, first, clock_tag, comm.handle(),
                           MPI_STATUS_IGNORE));
        reading.ahead = reading.ahead + ahead;
    }
    comm.barrier();
    return rank == 0 ? ClockReading{now(), {}} : reading;
}

}  // namespace quartet::comm

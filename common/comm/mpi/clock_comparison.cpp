#include "comm/mpi/clock_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int round_trips = 32;
constexpr int clock_tag = 0;

// The part of rank 0 or a group's first: its time, whenever it is asked.
void answer(const Communicator& comm, int asking, const std::function<Seconds()>& clock) {
    for (int trip = 0; trip < round_trips; ++trip) {
        check_mpi(
            MPI_Recv(nullptr, 0, MPI_DOUBLE, asking, clock_tag, comm.handle(), MPI_STATUS_IGNORE));
        const double time = clock().value;
        check_mpi(MPI_Send(&time, 1, MPI_DOUBLE, asking, clock_tag, comm.handle()));
    }
}

ClockReading ask(const Communicator& comm, int answering, const std::function<Seconds()>& clock) {
    ClockReading best;
    Seconds quickest{std::numeric_limits<double>::infinity()};
    for (int trip = 0; trip < round_trips; ++trip) {
        const Seconds sent = clock();
        check_mpi(MPI_Send(nullptr, 0, MPI_DOUBLE, answering, clock_tag, comm.handle()));
        Seconds answered;
        check_mpi(MPI_Recv(&answered.value, 1, MPI_DOUBLE, answering, clock_tag, comm.handle(),
                           MPI_STATUS_IGNORE));
        const Seconds received = clock();
        if (received - sent < quickest) {
            quickest = received - sent;
            best.at = sent + quickest / 2;
            best.ahead = answered - best.at;
        }
    }
    return best;
}

// How far rank 0 is ahead of a group's first, told to another one of the group.
void tell(const Communicator& comm, int asking, Seconds ahead) {
    check_mpi(MPI_Send(&ahead.value, 1, MPI_DOUBLE, asking, clock_tag, comm.handle()));
}

Seconds hear(const Communicator& comm, int answering) {
    Seconds ahead;
    check_mpi(MPI_Recv(&ahead.value, 1, MPI_DOUBLE, answering, clock_tag, comm.handle(),
                       MPI_STATUS_IGNORE));
    return ahead;
}

}  // namespace

int clock_group(int ranks) {
    constexpr int few = 64;
    return ranks <= few ? ranks : static_cast<int>(std::ceil(std::sqrt(ranks)));
}

ClockReading compare_with_root(const Communicator& comm, const std::function<Seconds()>& clock,
                               int group) {
    const int rank = comm.rank();
    const int first = rank - rank % group;
    ClockReading reading;
    if (rank == 0) {
        for (int asking = group; asking < comm.size(); asking += group) {
            answer(comm, asking, clock);
        }
    } else if (rank == first) {
        reading = ask(comm, 0, clock);
    }
    if (rank == first) {
        for (int asking = rank + 1; asking < std::min(rank + group, comm.size()); ++asking) {
            answer(comm, asking, clock);
            tell(comm, asking, reading.ahead);
        }
    } else {
        reading = ask(comm, first, clock);
        reading.ahead = reading.ahead + hear(comm, first);
    }
    comm.barrier();
    return rank == 0 ? ClockReading{clock(), {}} : reading;
}

ClockReading compare_with_root(const Communicator& comm, const std::function<Seconds()>& clock) {
    return compare_with_root(comm, clock, clock_group(comm.size()));
}

}  // namespace quartet::comm

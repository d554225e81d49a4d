#include "comm/mpi/clock_comparison.hpp"

#include <limits>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int round_trips = 32;
constexpr int clock_tag = 0;

// Rank 0's part: its time, whenever it is asked.
void answer(const Communicator& comm, int asking, const std::function<Seconds()>& clock) {
    for (int trip = 0; trip < round_trips; ++trip) {
        check_mpi(
            MPI_Recv(nullptr, 0, MPI_DOUBLE, asking, clock_tag, comm.handle(), MPI_STATUS_IGNORE));
        const double time = clock().value;
        check_mpi(MPI_Send(&time, 1, MPI_DOUBLE, asking, clock_tag, comm.handle()));
    }
}

ClockReading ask(const Communicator& comm, const std::function<Seconds()>& clock) {
    ClockReading best;
    Seconds quickest{std::numeric_limits<double>::infinity()};
    for (int trip = 0; trip < round_trips; ++trip) {
        const Seconds sent = clock();
        check_mpi(MPI_Send(nullptr, 0, MPI_DOUBLE, 0, clock_tag, comm.handle()));
        Seconds answered;
        check_mpi(MPI_Recv(&answered.value, 1, MPI_DOUBLE, 0, clock_tag, comm.handle(),
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

}  // namespace

ClockReading compare_with_root(const Communicator& comm, const std::function<Seconds()>& clock) {
    if (comm.rank() != 0) {
        const ClockReading reading = ask(comm, clock);
        comm.barrier();
        return reading;
    }
    for (int asking = 1; asking < comm.size(); ++asking) {
        answer(comm, asking, clock);
    }
    comm.barrier();
    return {clock(), {}};
}

}  // namespace quartet::comm

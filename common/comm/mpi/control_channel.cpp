#include "comm/mpi/control_channel.hpp"

#include <exception>
#include <utility>

#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {

ControlChannel::ControlChannel(const Communicator& parent)
    : comm_(parent.duplicate()), exceptions_(std::uncaught_exceptions()) {}

ControlChannel::~ControlChannel() {
    if (!outgoing_.empty() && std::uncaught_exceptions() > exceptions_) {
        // MPI may still read these payloads, and waiting could take for ever: left to the job's
        // end.
        static_cast<void>(new std::deque<Outgoing>(std::move(outgoing_)));
        return;
    }
    for (auto& message : outgoing_) {
        MPI_Wait(&message.request, MPI_STATUS_IGNORE);
    }
}

// Plain MPI_Send would nearly always do, since messages of this size are sent eagerly; but where
// the eager limit lies is the library's (and its user's) choice. A copy kept until MPI has let go
// of it makes sending independent of the receiver by the standard.
void ControlChannel::send(int to, int kind, std::span<const std::byte> payload) {
    check(to >= 0 && to < comm_.size(), "control messages go between existing ranks");
    check(kind >= 0 && kind <= largest_kind, "a control message's kind is out of range");
    check(payload.size() <= largest_payload, "a control message's payload is too large");
    Outgoing next;
    int done = 0;
    if (!outgoing_.empty()) {
        check_mpi(MPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE));
    }
    if (done != 0) {  // its memory serves again
        next = std::move(outgoing_.front());
        outgoing_.pop_front();
    }
    Outgoing& message = outgoing_.emplace_back(std::move(next));
    message.payload.assign(payload.begin(), payload.end());
    check_mpi(MPI_Isend(message.payload.data(), static_cast<int>(payload.size()), MPI_BYTE, to,
                        kind, comm_.handle(), &message.request));
}

// Only the main thread calls MPI, so nothing takes the message between its probe and its receive:
// matched probes, which not every MPI has, would add nothing.
std::optional<ControlMessage> ControlChannel::poll() {
    int found = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.handle(), &found, &status));
    if (found == 0) {
        return std::nullopt;
    }
    int size = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &size));
    ControlMessage result{.source = status.MPI_SOURCE, .kind = status.MPI_TAG, .payload = {}};
    result.payload.resize(static_cast<std::size_t>(size));
    check_mpi(MPI_Recv(result.payload.data(), size, MPI_BYTE, result.source, result.kind,
                       comm_.handle(), MPI_STATUS_IGNORE));
    return result;
}

}  // namespace quartet::comm

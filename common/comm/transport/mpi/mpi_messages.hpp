#pragma once

#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/support/message_collectives.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// Messages by MPI. The stream is synchronised before, and what has come is there when exchange()
/// returns. Those of more bytes than MPI counts go in several.
class MpiMessages final : public Messages {
  public:
    /// Both outlive it. `largest` is for tests.
    MpiMessages(const Communicator& comm, Track& track, Bytes largest = gibibytes(1))
        : comm_(comm), track_(track), largest_(largest.value) {}

    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  device::Stream& stream) override;

  private:
    [[nodiscard]] MPI_Request* next_request();

    const Communicator& comm_;
    Track& track_;
    std::int64_t largest_;
    std::vector<MPI_Request> requests_;  ///< those of one exchange; kept, so that none allocates
};

}  // namespace quartet::comm

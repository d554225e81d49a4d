#pragma once

#include <mpi.h>

#include <vector>

#include "comm/transport/mpi/incoming_pieces.hpp"
#include "comm/transport/support/chunks.hpp"
#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

/// Memory that the receiver of such pushes allocates.
Bytes mpi_push_memory(const IncomingPushes& pushes, const OperationContext& here);

/// Two-sided pushes in pieces. Those of all senders are added in the order of the senders' ranks,
/// so that the sums have the same bits each time.
class MpiPush final : public Push {
  public:
    MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device, Track& track,
            const OperationContext& here);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);
    void post(std::size_t sender, std::int64_t chunk);
    void add(std::size_t sender, std::int64_t chunk, device::Stream& stream);

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    device::View<const std::byte> source_;
    Chunks chunks_;
    std::vector<MPI_Request> requests_;     ///< a sender's
    std::vector<IncomingPieces> incoming_;  ///< a receiver's, by sender
};

}  // namespace quartet::comm

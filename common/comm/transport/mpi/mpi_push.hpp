#pragma once

#include <mpi.h>

#include <vector>

#include "comm/topology/topology.hpp"
#include "comm/transport/mpi/incoming_pieces.hpp"
#include "comm/transport/support/chunks.hpp"
#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

/// The most memory that the receiver of such pushes allocates: from senders of other nodes.
Bytes mpi_push_memory(const IncomingPushes& pushes, const TransportSettings& settings);

/// Two-sided pushes in pieces. Those of all senders are added in the order of the senders' ranks,
/// so that the sums have the same bits each time.
class MpiPush final : public Push {
  public:
    MpiPush(const PushPlan& plan, const Communicator& comm, const Topology& topology,
            device::Device& device, Track& track, const TransportSettings& settings);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);
    /// Starts receiving a chunk unless it is beyond the last.
    void post(std::size_t sender, std::int64_t chunk, std::int64_t total);
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

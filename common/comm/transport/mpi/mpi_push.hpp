#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

/// What the receiver of such pushes allocates.
Bytes mpi_push_memory(const IncomingPushes& pushes, const TransportSettings& settings);

/// Two-sided pushes in chunks. The receiver keeps `depth` receives per sender posted, into staging
/// memory that is small enough to stay in its cache: an addition then reads the chunk from there,
/// not from main memory. Chunks of all senders are added in the order of the senders' ranks, so
/// that the sums have the same bits each time.
class MpiPush final : public Push {
  public:
    MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device, Track& track,
            const TransportSettings& settings);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);
    void post_receive(std::size_t sender, std::int64_t chunk);
    void add(std::size_t sender, std::int64_t chunk, device::Stream& stream);

    [[nodiscard]] std::int64_t chunks() const { return (elements_ + chunk_ - 1) / chunk_; }
    [[nodiscard]] std::int64_t first(std::int64_t chunk) const { return chunk % chunks() * chunk_; }
    [[nodiscard]] std::int64_t size(std::int64_t chunk) const {
        return std::min(chunk_, elements_ - first(chunk));
    }
    [[nodiscard]] std::size_t slot(std::size_t sender, std::int64_t chunk) const {
        return sender * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(chunk % slots_);
    }
    [[nodiscard]] device::View<float> staged(std::size_t sender, std::int64_t chunk) {
        return staging_.view().part(static_cast<std::int64_t>(slot(sender, chunk)) * chunk_,
                                    size(chunk));
    }

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    std::int64_t elements_;
    std::int64_t chunk_;  ///< elements of a full chunk
    int slots_;           ///< chunks under way per sender
    device::Buffer<float> staging_;
    std::vector<MPI_Request> requests_;
};

}  // namespace quartet::comm

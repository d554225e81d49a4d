#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

/// Two-sided pushes in pieces. The receiver keeps `depth` receives per sender posted, into staging
/// memory that is small enough to stay in its cache: an addition then reads the piece from there,
/// not from main memory. Pieces of all senders are added in the order of the senders' ranks, so
/// that the sums have the same bits each time.
class MpiPush final : public Push {
  public:
    MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device, Track& track,
            const TransportSettings& settings);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);
    void post_receive(std::size_t sender, std::int64_t piece);
    void add(std::size_t sender, std::int64_t piece, device::Stream& stream);

    [[nodiscard]] std::int64_t pieces() const { return (elements_ + piece_ - 1) / piece_; }
    [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece % pieces() * piece_; }
    [[nodiscard]] std::int64_t size(std::int64_t piece) const {
        return std::min(piece_, elements_ - first(piece));
    }
    [[nodiscard]] std::size_t slot(std::size_t sender, std::int64_t piece) const {
        return sender * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(piece % slots_);
    }
    [[nodiscard]] device::View<float> staged(std::size_t sender, std::int64_t piece) {
        return staging_.view().part(static_cast<std::int64_t>(slot(sender, piece)) * piece_,
                                    size(piece));
    }

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    std::int64_t elements_;
    std::int64_t piece_;  ///< elements of a full piece
    int slots_;           ///< pieces under way per sender
    device::Buffer<float> staging_;
    std::vector<MPI_Request> requests_;
};

}  // namespace quartet::comm

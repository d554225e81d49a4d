#pragma once

#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/mpi/large_count.hpp"
#include "comm/transport/operations.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// The common part of exchanges that receive into memory of their own. A run begins after the
/// stream's earlier work, so nothing need be released.
class ReceivingExchange : public Exchange {
  public:
    [[nodiscard]] PartLocation location() const override { return PartLocation::received; }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }
    void release(device::Stream& /*stream*/) override {}

  protected:
    /// Collective: each rank learns what it receives.
    ReceivingExchange(const ExchangePlan& plan, const Communicator& comm, device::Device& device)
        : send_(plan.send),
          counts_(plan.counts, comm.handle()),
          received_(device::allocate<std::byte>(device, counts_.receive().total())) {
        for (int rank = 0; rank < comm.size(); ++rank) {
            parts_.emplace_back(place_of(rank));
        }
    }

    [[nodiscard]] const ExchangeCounts& counts() const { return counts_; }
    [[nodiscard]] device::View<const std::byte> all_sent() const { return send_; }
    [[nodiscard]] device::View<std::byte> all_received() { return received_.view(); }
    /// What is sent to a rank.
    [[nodiscard]] device::View<const std::byte> part_for(int rank) const {
        return send_.part(counts_.send().offset(rank), counts_.send().count(rank));
    }
    /// The place of what is received from a rank.
    [[nodiscard]] device::View<std::byte> place_of(int rank) {
        return received_.view().part(counts_.receive().offset(rank), counts_.receive().count(rank));
    }

  private:
    device::View<const std::byte> send_;
    ExchangeCounts counts_;
    device::Buffer<std::byte> received_;
    std::vector<device::View<const std::byte>> parts_;  ///< by sender
};

}  // namespace quartet::comm

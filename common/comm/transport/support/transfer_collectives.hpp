#pragma once

#include <utility>

#include "comm/mpi/communicator.hpp"
#include "comm/mpi/large_count.hpp"
#include "comm/transport/support/receiving_exchange.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Operations that only send each part where it belongs. `Transfers` are prepared once by
/// add_send() and add_receive(), which take empty parts, too, and made by each begin() and finish()
/// on a stream. Between the two, the rank copies its part to itself.
template <typename Transfers>
class TransferAllGather final : public Collective {
  public:
    /// Borrows the device. Local.
    TransferAllGather(const AllGatherPlan& plan, int rank, device::Device& device,
                      Transfers transfers)
        : device_(device), transfers_(std::move(transfers)), mine_(plan.mine) {
        const RankCounts counts(plan.counts);
        for (int peer = 0; peer < counts.ranks(); ++peer) {
            const auto part = plan.all.part(counts.offset(peer), counts.count(peer));
            if (peer == rank) {
                own_ = part;
            } else {
                transfers_.add_send(plan.mine, peer);
                transfers_.add_receive(part, peer);
            }
        }
    }

    void run(device::Stream& stream) override {
        transfers_.begin(stream);
        if (own_.data() != mine_.data()) {
            device_.copy(mine_, own_, stream);
        }
        transfers_.finish(stream);
    }

  private:
    device::Device& device_;
    Transfers transfers_;
    device::View<const std::byte> mine_;
    device::View<std::byte> own_;  ///< this rank's part of all
};

template <typename Transfers>
class TransferExchange final : public ReceivingExchange {
  public:
    /// Borrows the device. Collective.
    TransferExchange(const ExchangePlan& plan, const Communicator& comm, device::Device& device,
                     Transfers transfers)
        : ReceivingExchange(plan, comm, device),
          rank_(comm.rank()),
          device_(device),
          transfers_(std::move(transfers)) {
        for (int peer = 0; peer < comm.size(); ++peer) {
            if (peer != rank_) {
                transfers_.add_send(part_for(peer), peer);
                transfers_.add_receive(place_of(peer), peer);
            }
        }
    }

    void run(device::Stream& stream) override {
        transfers_.begin(stream);
        device_.copy(part_for(rank_), place_of(rank_), stream);
        transfers_.finish(stream);
    }

  private:
    int rank_;
    device::Device& device_;
    Transfers transfers_;
};

}  // namespace quartet::comm

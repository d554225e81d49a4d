#include <algorithm>

#include "comm/mpi/large_count.hpp"
#include "comm/transport/staged/staged_operations.hpp"
#include "comm/transport/support/transfer_collectives.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

class StagedReduceScatter final : public Collective {
  public:
    StagedReduceScatter(const ReduceScatterPlan& plan, const StagedContext& context);

    void run(device::Stream& stream) override;

  private:
    void add(int rank, device::View<const double> chunk, std::int64_t first,
             device::Stream& stream);

    StagedContext context_;
    StagedTransfers transfers_;
    device::View<double> mine_;
    device::View<const double> own_;  ///< this rank's contribution to its own part
    std::vector<StagedReceive*> receives_;
    std::int64_t chunk_;  ///< elements
};

StagedReduceScatter::StagedReduceScatter(const ReduceScatterPlan& plan,
                                         const StagedContext& context)
    : context_(context),
      transfers_(context),
      mine_(plan.mine),
      chunk_(chunks_of(device::as_bytes(plan.mine).size(), context.chunk_sizes).largest().value /
             static_cast<std::int64_t>(sizeof(double))) {
    const RankCounts counts(plan.counts);
    for (int peer = 0; peer < counts.ranks(); ++peer) {
        const auto part = plan.contribution.part(counts.offset(peer), counts.count(peer));
        if (peer == context.comm.rank()) {
            own_ = part;
            receives_.push_back(nullptr);
        } else {
            transfers_.add_send(device::as_bytes(part), peer);
            receives_.push_back(
                &transfers_.add_receive(device::as_bytes(mine_), peer, Landing::staging));
        }
    }
}

// Chunk by chunk, each in the order of the ranks, so that the same contributions give the same
// bits.
void StagedReduceScatter::run(device::Stream& stream) {
    transfers_.begin(stream);
    for (std::int64_t first = 0; first < mine_.size(); first += chunk_) {
        const std::int64_t size = std::min(chunk_, mine_.size() - first);
        for (int rank = 0; rank < context_.comm.size(); ++rank) {
            StagedReceive* receive = receives_[static_cast<std::size_t>(rank)];
            if (receive == nullptr) {
                add(rank, own_.part(first, size), first, stream);
            } else {
                transfers_.take(*receive, stream);
                add(rank, device::view_as<double>(receive->landed()).part(0, size), first, stream);
                receive->used(stream);
            }
        }
    }
    transfers_.finish(stream);
}

void StagedReduceScatter::add(int rank, device::View<const double> chunk, std::int64_t first,
                              device::Stream& stream) {
    const auto target = mine_.part(first, chunk.size());
    if (rank == 0) {
        context_.device.copy(device::as_bytes(chunk), device::as_bytes(target), stream);
    } else {
        context_.device.vectors().add(chunk, target, stream);
    }
}

}  // namespace

std::unique_ptr<Collective> make_staged_all_gather(const AllGatherPlan& plan,
                                                   const StagedContext& context) {
    return std::make_unique<TransferAllGather<StagedTransfers>>(
        plan, context.comm.rank(), context.device, StagedTransfers(context));
}

std::unique_ptr<Collective> make_staged_reduce_scatter(const ReduceScatterPlan& plan,
                                                       const StagedContext& context) {
    return std::make_unique<StagedReduceScatter>(plan, context);
}

std::unique_ptr<Exchange> make_staged_exchange(const ExchangePlan& plan,
                                               const StagedContext& context) {
    return std::make_unique<TransferExchange<StagedTransfers>>(plan, context.comm, context.device,
                                                               StagedTransfers(context));
}

}  // namespace quartet::comm

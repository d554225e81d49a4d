#include <algorithm>

#include "comm/mpi/large_count.hpp"
#include "comm/transport/staged/staged_operations.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

class StagedAllGather final : public Collective {
  public:
    StagedAllGather(const AllGatherPlan& plan, const StagedContext& context)
        : context_(context), transfers_(context), mine_(plan.mine) {
        const RankCounts counts(plan.counts);
        for (int peer = 0; peer < counts.ranks(); ++peer) {
            const auto part = plan.all.part(counts.offset(peer), counts.count(peer));
            if (peer == context.comm.rank()) {
                own_ = part;
            } else {
                transfers_.add_send(plan.mine, peer);
                transfers_.add_receive(part, peer, Landing::target);
            }
        }
    }

    void run(device::Stream& stream) override {
        transfers_.begin(stream);
        if (own_.data() != mine_.data()) {
            context_.device.copy(mine_, own_, stream);
        }
        transfers_.finish(stream);
    }

  private:
    StagedContext context_;
    StagedTransfers transfers_;
    device::View<const std::byte> mine_;
    device::View<std::byte> own_;  ///< this rank's part of all
};

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
      chunk_(context.largest_chunk.value / static_cast<std::int64_t>(sizeof(double))) {
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

class StagedExchange final : public Exchange {
  public:
    StagedExchange(const ExchangePlan& plan, const StagedContext& context)
        : context_(context), transfers_(context) {
        const ExchangeCounts counts(plan.counts, context.comm.handle());
        received_ = device::allocate<std::byte>(context.device, counts.receive().total());
        for (int peer = 0; peer < context.comm.size(); ++peer) {
            const auto from = plan.send.part(counts.send().offset(peer), counts.send().count(peer));
            const auto to =
                received_.view().part(counts.receive().offset(peer), counts.receive().count(peer));
            parts_.emplace_back(to);
            if (peer == context.comm.rank()) {
                own_from_ = from;
                own_to_ = to;
            } else {
                transfers_.add_send(from, peer);
                transfers_.add_receive(to, peer, Landing::target);
            }
        }
    }

    void run(device::Stream& stream) override {
        transfers_.begin(stream);
        context_.device.copy(own_from_, own_to_, stream);
        transfers_.finish(stream);
    }
    [[nodiscard]] PartLocation location() const override { return PartLocation::received; }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }
    // The next run() begins after the stream's work so far.
    void release(device::Stream& /*stream*/) override {}

  private:
    StagedContext context_;
    StagedTransfers transfers_;
    device::Buffer<std::byte> received_;
    device::View<const std::byte> own_from_;
    device::View<std::byte> own_to_;
    std::vector<device::View<const std::byte>> parts_;
};

}  // namespace

std::unique_ptr<Collective> make_staged_all_gather(const AllGatherPlan& plan,
                                                   const StagedContext& context) {
    return std::make_unique<StagedAllGather>(plan, context);
}

std::unique_ptr<Collective> make_staged_reduce_scatter(const ReduceScatterPlan& plan,
                                                       const StagedContext& context) {
    return std::make_unique<StagedReduceScatter>(plan, context);
}

std::unique_ptr<Exchange> make_staged_exchange(const ExchangePlan& plan,
                                               const StagedContext& context) {
    return std::make_unique<StagedExchange>(plan, context);
}

}  // namespace quartet::comm

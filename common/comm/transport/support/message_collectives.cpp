#include "comm/transport/support/message_collectives.hpp"

#include <vector>

#include "comm/mpi/large_count.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

/// The messages of one operation: prepared once, sent many times.
struct Prepared {
    std::vector<Messages::Outgoing> outgoing;
    std::vector<Messages::Incoming> incoming;

    void send(device::View<const std::byte> data, int to) {
        if (!data.empty()) {
            outgoing.push_back({to, data});
        }
    }
    void receive(device::View<std::byte> data, int from) {
        if (!data.empty()) {
            incoming.push_back({from, data});
        }
    }
    void exchange(Messages& messages, device::Stream& stream) const {
        messages.exchange(outgoing, incoming, stream);
    }
};

class MessageAllGather final : public Collective {
  public:
    MessageAllGather(const AllGatherPlan& plan, const MessageContext& context)
        : context_(context), mine_(plan.mine) {
        const RankCounts counts(plan.counts);
        for (int rank = 0; rank < counts.ranks(); ++rank) {
            const auto part = plan.all.part(counts.offset(rank), counts.count(rank));
            if (rank == context.comm.rank()) {
                own_ = part;
            } else {
                messages_.send(plan.mine, rank);
                messages_.receive(part, rank);
            }
        }
    }

    void run(device::Stream& stream) override {
        messages_.exchange(context_.messages, stream);
        if (own_.data() != mine_.data()) {
            context_.device.copy(mine_, own_, stream);
        }
    }

  private:
    MessageContext context_;
    device::View<const std::byte> mine_;
    device::View<std::byte> own_;  ///< this rank's part of all
    Prepared messages_;
};

class MessageReduceScatter final : public Collective {
  public:
    MessageReduceScatter(const ReduceScatterPlan& plan, const MessageContext& context);

    void run(device::Stream& stream) override;

  private:
    MessageContext context_;
    device::View<double> mine_;
    device::Buffer<double> received_;                        ///< a row from each other rank
    std::vector<device::View<const double>> contributions_;  ///< to this rank's part, by rank
    Prepared messages_;
};

MessageReduceScatter::MessageReduceScatter(const ReduceScatterPlan& plan,
                                           const MessageContext& context)
    : context_(context), mine_(plan.mine) {
    const RankCounts counts(plan.counts);
    const std::int64_t size = mine_.size();
    received_ = {
        context.device.allocate(message_reduce_scatter_memory(counts.ranks(), mine_.bytes()),
                                context.device.memory_kind()),
        (counts.ranks() - 1) * size};
    std::int64_t rows = 0;
    for (int rank = 0; rank < counts.ranks(); ++rank) {
        const auto part = plan.contribution.part(counts.offset(rank), counts.count(rank));
        if (rank == context.comm.rank()) {
            contributions_.push_back(part);
        } else {
            const auto row = received_.view().part(rows++ * size, size);
            contributions_.emplace_back(row);
            messages_.send(device::as_bytes(part), rank);
            messages_.receive(device::as_bytes(row), rank);
        }
    }
}

void MessageReduceScatter::run(device::Stream& stream) {
    messages_.exchange(context_.messages, stream);
    context_.device.copy(device::as_bytes(contributions_.front()), device::as_bytes(mine_), stream);
    for (std::size_t rank = 1; rank < contributions_.size(); ++rank) {
        context_.device.vectors().add(contributions_[rank], mine_, stream);
    }
}

class MessageExchange final : public Exchange {
  public:
    MessageExchange(const ExchangePlan& plan, const MessageContext& context);

    void run(device::Stream& stream) override {
        messages_.exchange(context_.messages, stream);
        context_.device.copy(own_from_, own_to_, stream);
    }
    [[nodiscard]] PartLocation location() const override { return PartLocation::received; }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }
    // The next run() comes after the stream's work so far.
    void release(device::Stream& /*stream*/) override {}

  private:
    MessageContext context_;
    device::Buffer<std::byte> received_;
    device::View<const std::byte> own_from_;
    device::View<std::byte> own_to_;
    std::vector<device::View<const std::byte>> parts_;
    Prepared messages_;
};

MessageExchange::MessageExchange(const ExchangePlan& plan, const MessageContext& context)
    : context_(context) {
    const ExchangeCounts counts(plan.counts, context.comm.handle());
    received_ = device::allocate<std::byte>(context.device, counts.receive().total());
    for (int rank = 0; rank < context.comm.size(); ++rank) {
        const auto from = plan.send.part(counts.send().offset(rank), counts.send().count(rank));
        const auto to =
            received_.view().part(counts.receive().offset(rank), counts.receive().count(rank));
        parts_.emplace_back(to);
        if (rank == context.comm.rank()) {
            own_from_ = from;
            own_to_ = to;
        } else {
            messages_.send(from, rank);
            messages_.receive(to, rank);
        }
    }
}

}  // namespace

std::unique_ptr<Collective> make_message_all_gather(const AllGatherPlan& plan,
                                                    const MessageContext& context) {
    return std::make_unique<MessageAllGather>(plan, context);
}

Bytes message_reduce_scatter_memory(int ranks, Bytes mine) {
    return (ranks - 1) * mine;
}

std::unique_ptr<Collective> make_message_reduce_scatter(const ReduceScatterPlan& plan,
                                                        const MessageContext& context) {
    return std::make_unique<MessageReduceScatter>(plan, context);
}

std::unique_ptr<Exchange> make_message_exchange(const ExchangePlan& plan,
                                                const MessageContext& context) {
    return std::make_unique<MessageExchange>(plan, context);
}

}  // namespace quartet::comm

#include "comm/transport/support/message_collectives.hpp"

#include <vector>

#include "comm/mpi/large_count.hpp"
#include "comm/transport/support/transfer_collectives.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

/// The messages of one operation: prepared once, sent many times.
class MessageTransfers {
  public:
    explicit MessageTransfers(Messages& messages) : messages_(messages) {}

    void add_send(device::View<const std::byte> data, int to) {
        if (!data.empty()) {
            outgoing_.push_back({to, data});
        }
    }
    void add_receive(device::View<std::byte> data, int from) {
        if (!data.empty()) {
            incoming_.push_back({from, data});
        }
    }
    void begin(device::Stream& stream) { messages_.exchange(outgoing_, incoming_, stream); }
    void finish(device::Stream& /*stream*/) {}  // all is on the stream

  private:
    Messages& messages_;
    std::vector<Messages::Outgoing> outgoing_;
    std::vector<Messages::Incoming> incoming_;
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
    MessageTransfers transfers_;
};

MessageReduceScatter::MessageReduceScatter(const ReduceScatterPlan& plan,
                                           const MessageContext& context)
    : context_(context), mine_(plan.mine), transfers_(context.messages) {
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
            transfers_.add_send(device::as_bytes(part), rank);
            transfers_.add_receive(device::as_bytes(row), rank);
        }
    }
}

void MessageReduceScatter::run(device::Stream& stream) {
    transfers_.begin(stream);
    context_.device.copy(device::as_bytes(contributions_.front()), device::as_bytes(mine_), stream);
    for (std::size_t rank = 1; rank < contributions_.size(); ++rank) {
        context_.device.vectors().add(contributions_[rank], mine_, stream);
    }
}

}  // namespace

std::unique_ptr<Collective> make_message_all_gather(const AllGatherPlan& plan,
                                                    const MessageContext& context) {
    return std::make_unique<TransferAllGather<MessageTransfers>>(
        plan, context.comm.rank(), context.device, MessageTransfers(context.messages));
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
    return std::make_unique<TransferExchange<MessageTransfers>>(plan, context.comm, context.device,
                                                                MessageTransfers(context.messages));
}

}  // namespace quartet::comm

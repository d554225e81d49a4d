#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/mpi/agree.hpp"
#include "comm/transport/grpc/grpc_address.hpp"
#include "comm/transport/grpc/grpc_calls.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

// gRPC's messages have less than 2 GiB: longer data goes in several.
constexpr Bytes largest_message = gibibytes(1);

/// Messages that their receivers fetch by gRPC, one of the paper's three protocols (VI.A). gRPC
/// copies and allocates as it goes: that is what is measured. It listens on the loopback device
/// within a node, on a private network between nodes, or where QUARTET_GRPC_ADDRESS says.
class GrpcTransport final : public Transport {
  public:
    explicit GrpcTransport(const TransportContext& context)
        : Transport(context, grpc_traits), host_(*grpc_address(context.topology)) {
        agree(comm(), [&] { endpoint_.emplace(host_); });
        addresses_ = comm().gather(endpoint_->address());
        tokens_ = comm().gather(endpoint_->token());
    }

    [[nodiscard]] std::string description() const override {
        return fmt::format("without encryption, over {}", host_);
    }

    Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                 device::Stream& stream) override;
    void wait(Ticket& ticket, device::Stream& user) override;

  private:
    struct UnderWay {
        bool busy = false;
        std::vector<GrpcMessage> offered;
        std::vector<std::unique_ptr<GrpcFetch>> fetches;
    };
    /// By peer and lane: the messages so far.
    using Numbers = std::map<std::pair<int, int>, std::int64_t>;

    GrpcClient& client_of(int rank);

    std::string host_;
    std::optional<GrpcEndpoint> endpoint_;
    std::vector<std::string> addresses_;  ///< by rank
    std::vector<std::string> tokens_;     ///< by rank
    std::map<int, GrpcClient> clients_;   ///< by rank
    Numbers sent_;
    Numbers received_;
    std::vector<UnderWay> slots_;  ///< destroyed before the clients
};

// Connected at the first call.
GrpcClient& GrpcTransport::client_of(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    return clients_
        .try_emplace(rank, *endpoint_, addresses_[index], tokens_[index], largest_message)
        .first->second;
}

Ticket GrpcTransport::start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                            device::Stream& stream) {
    stream.synchronize();
    auto idle = std::ranges::find(slots_, false, &UnderWay::busy);
    if (idle == slots_.end()) {
        idle = slots_.insert(slots_.end(), UnderWay());
    }
    idle->busy = true;
    for (const Incoming& message : incoming) {
        for_parts(message.data, largest_message.value, [&](device::View<std::byte> part) {
            idle->fetches.push_back(
                client_of(message.from)
                    .fetch({comm().rank(), message.lane, received_[{message.from, message.lane}]++},
                           part));
        });
    }
    for (const Outgoing& message : outgoing) {
        for_parts(message.data, largest_message.value, [&](device::View<const std::byte> part) {
            idle->offered.push_back(
                {message.to, message.lane, sent_[{message.to, message.lane}]++});
            endpoint_->offer(idle->offered.back(), part);
        });
    }
    return {static_cast<int>(idle - slots_.begin())};
}

// Blocks, so that gRPC's thread has the core meanwhile.
void GrpcTransport::wait(Ticket& ticket, device::Stream& /*user*/) {
    if (ticket.slot < 0) {
        return;
    }
    UnderWay& mine = slots_[static_cast<std::size_t>(ticket.slot)];
    for (const auto& fetch : mine.fetches) {
        fetch->wait();
    }
    for (const GrpcMessage& message : mine.offered) {
        endpoint_->wait_until_taken(message);
    }
    mine.fetches.clear();
    mine.offered.clear();
    mine.busy = false;
    ticket = {};
}

std::optional<std::string> why_no_grpc(const TransportContext& context) {
    std::optional<std::string> reason;
    const auto address = grpc_address(context.topology);
    if (!address) {
        reason = fmt::format(
            "transport grpc listens on private networks only, and {} is on none: {} names the "
            "address to listen on",
            context.topology.mine().host, grpc_address_variable);
    } else if (const auto problem = why_not_heard_on(*address)) {
        reason = fmt::format(
            "transport grpc cannot listen on {} of {} ({}): {} names the address to listen on",
            quotation(*address), context.topology.mine().host, *problem, grpc_address_variable);
    }
    return context.world.first(reason);
}

}  // namespace

TransportKind grpc_transport() {
    return {grpc_traits, why_no_grpc, make_transport<GrpcTransport>};
}

}  // namespace quartet::comm

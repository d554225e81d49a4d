#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "comm/transport/grpc/grpc_address.hpp"
#include "comm/transport/grpc/grpc_payload_channel.hpp"
#include "comm/transport/grpc/grpc_push.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/transport_kind.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

/// Pushes and payloads by gRPC, one of the paper's three protocols (VI.A). It listens on the
/// loopback device within a node, on a private network between nodes, or where QUARTET_GRPC_ADDRESS
/// says.
class GrpcTransport final : public Transport {
  public:
    explicit GrpcTransport(const TransportContext& context)
        : context_(context),
          comm_(context.world.duplicate()),
          track_(context.trace.track("grpc")),
          address_(*grpc_address(context.topology)) {}

    [[nodiscard]] const TransportTraits& traits() const override { return grpc_traits; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("without encryption, over {}", address_);
    }

    device::Allocation allocate(Bytes size) override {
        return context_.device.allocate(size, device::MemoryKind::host);
    }
    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return make_grpc_push(plan, context_, comm_, address_, track_);
    }
    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        return make_grpc_payload_channel(plan, comm_, context_.device, address_, track_);
    }

  private:
    TransportContext context_;
    Communicator comm_;
    Track& track_;
    std::string address_;
};

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

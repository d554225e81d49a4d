#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "comm/transport/grpc/grpc_payload_channel.hpp"
#include "comm/transport/grpc/grpc_push.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/transport_registry.hpp"
#include "core/environment.hpp"

namespace quartet::comm {

namespace {

constexpr const char* address_variable = "QUARTET_GRPC_ADDRESS";

// 10/8, 172.16/12 and 192.168/16 (RFC 1918).
bool is_private(std::uint32_t address) {
    return address >> 24 == 10 || address >> 20 == 0xac1 || address >> 16 == 0xc0a8;
}

std::optional<std::string> private_address() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, freeifaddrs);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET ||
            (entry->ifa_flags & IFF_UP) == 0) {
            continue;
        }
        const in_addr address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr;
        if (is_private(ntohl(address.s_addr))) {
            std::array<char, INET_ADDRSTRLEN> text{};
            inet_ntop(AF_INET, &address, text.data(), text.size());
            return text.data();
        }
    }
    return std::nullopt;
}

// Where this rank would listen: within a node nobody else can hear it, else on a network of the
// site's own, unless the user says where.
std::optional<std::string> own_address(const Topology& topology) {
    if (const auto told = Environment().get(address_variable)) {
        return told;
    }
    return topology.nodes() == 1 ? "127.0.0.1" : private_address();
}

/// Pushes and payloads by gRPC, one of the paper's three protocols (VI.A). It listens on the
/// loopback device within a node, on a private network between nodes, or where QUARTET_GRPC_ADDRESS
/// says.
class GrpcTransport final : public Transport {
  public:
    explicit GrpcTransport(const TransportContext& context)
        : context_(context),
          comm_(context.world.duplicate()),
          track_(context.trace.track("grpc")),
          address_(*own_address(context.topology)) {}

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
    if (!own_address(context.topology)) {
        reason = fmt::format(
            "transport grpc listens on private networks only, and {} is on none: {} names the "
            "address to listen on",
            context.topology.mine().host, address_variable);
    }
    return context.world.first(reason);
}

}  // namespace

TransportKind grpc_transport() {
    return {grpc_traits, why_no_grpc,
            [](const TransportContext& context) -> std::unique_ptr<Transport> {
                return std::make_unique<GrpcTransport>(context);
            }};
}

}  // namespace quartet::comm

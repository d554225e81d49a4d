#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "comm/transport/grpc/grpc_calls.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "core/environment.hpp"
#include "core/files/file.hpp"

namespace quartet::comm {

namespace {

// gRPC's messages have less than 2 GiB: longer data goes in several.
constexpr Bytes largest_message = gibibytes(1);

/// The environment variable that names the address to listen on.
constexpr const char* grpc_address_variable = "QUARTET_GRPC_ADDRESS";

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

bool is_of_all_networks(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr == INADDR_ANY;
    }
    return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr) != 0;
}

// Why no socket can be bound to the address, or nothing.
std::optional<std::string> why_not_bound(const addrinfo& address) {
    if (is_of_all_networks(*address.ai_addr)) {
        return "it stands for every network, so other hosts cannot tell which one to use";
    }
    const FileDescriptor socket(::socket(address.ai_family, address.ai_socktype, 0));
    if (socket.get() < 0 || bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
        return std::generic_category().message(errno);
    }
    return std::nullopt;
}

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
                 device::Stream& stream) override {
        stream.synchronize();
        const Ticket ticket = take_slot(slots_);
        UnderWay& mine = slots_[index(ticket.slot)];
        for (const Incoming& message : incoming) {
            for_parts(message.data, largest_message.value, [&](device::View<std::byte> part) {
                mine.fetches.push_back(client_of(message.from)
                                           .fetch({comm().rank(), message.lane,
                                                   received_[{message.from, message.lane}]++},
                                                  part));
            });
        }
        for (const Outgoing& message : outgoing) {
            for_parts(message.data, largest_message.value, [&](device::View<const std::byte> part) {
                mine.offered.push_back(
                    {message.to, message.lane, sent_[{message.to, message.lane}]++});
                endpoint_->offer(mine.offered.back(), part);
            });
        }
        return ticket;
    }

  private:
    struct UnderWay {
        bool busy = false;
        std::vector<GrpcMessage> offered;
        std::vector<std::unique_ptr<GrpcFetch>> fetches;
    };
    /// By peer and lane: the messages so far.
    using Numbers = std::map<std::pair<int, int>, std::int64_t>;

    // Blocks, so that gRPC's thread has the core meanwhile.
    void finish(int slot, device::Stream& /*user*/) override {
        UnderWay& mine = slots_[index(slot)];
        for (const auto& fetch : mine.fetches) {
            fetch->wait();
        }
        for (const GrpcMessage& message : mine.offered) {
            endpoint_->wait_until_taken(message);
        }
        mine.fetches.clear();
        mine.offered.clear();
        mine.busy = false;
    }
    // Connected at the first call.
    GrpcClient& client_of(int rank) {
        return clients_
            .try_emplace(rank, *endpoint_, addresses_[index(rank)], tokens_[index(rank)],
                         largest_message)
            .first->second;
    }

    std::string host_;
    std::optional<GrpcEndpoint> endpoint_;
    std::vector<std::string> addresses_;  ///< by rank
    std::vector<std::string> tokens_;     ///< by rank
    std::map<int, GrpcClient> clients_;   ///< by rank
    Numbers sent_;
    Numbers received_;
    std::vector<UnderWay> slots_;  ///< destroyed before the clients
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

std::optional<std::string> grpc_address(const Topology& topology) {
    if (const auto told = Environment().get(grpc_address_variable)) {
        return told;
    }
    return topology.nodes() == 1 ? "127.0.0.1" : private_address();
}

std::optional<std::string> why_not_heard_on(const std::string& address) {
    std::string name = address;
    if (name.starts_with('[') && name.ends_with(']')) {
        name = name.substr(1, name.size() - 2);
    } else if (name.empty() || name.find(':') != std::string::npos) {
        return "it is not a name or an address without a port, with IPv6 addresses in brackets";
    }
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (const int problem = getaddrinfo(name.c_str(), nullptr, &wanted, &list); problem != 0) {
        return gai_strerror(problem);
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, freeaddrinfo);
    std::optional<std::string> reason;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
        reason = why_not_bound(*entry);
        if (!reason) {
            return std::nullopt;
        }
    }
    return reason;
}

TransportKind grpc_transport() {
    return {grpc_traits, why_no_grpc, make_transport<GrpcTransport>};
}

}  // namespace quartet::comm

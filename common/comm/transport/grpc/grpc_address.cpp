#include "comm/transport/grpc/grpc_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "core/environment.hpp"
#include "core/files/file.hpp"

namespace quartet::comm {

namespace {

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

}  // namespace quartet::comm

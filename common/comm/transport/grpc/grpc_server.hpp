#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "comm/transport/grpc/grpc_wire.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// Lets other ranks fetch bytes of this one. Whoever does not show the token is refused before any
/// message is read; no message is larger than a request. All members are local.
class GrpcServer {
  public:
    /// The answer to a request, or nothing if it is refused. A thread of the server calls it. The
    /// bytes are sent from their place, and stay until the other rank has them.
    using Offer = std::function<std::optional<device::View<const std::byte>>(const GrpcRequest&)>;

    /// `host`: where to listen, on a port of the system's choice. Throws Failure if it cannot.
    GrpcServer(const std::string& host, Offer offer);
    /// Lets calls end before; at once while an exception unwinds.
    ~GrpcServer();
    GrpcServer(const GrpcServer&) = delete;
    GrpcServer& operator=(const GrpcServer&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }
    /// Drawn anew for each server; for its clients alone.
    [[nodiscard]] const std::string& token() const { return token_; }

  private:
    class Service;

    std::string token_;
    std::string address_;
    std::unique_ptr<Service> service_;
    int exceptions_;
};

}  // namespace quartet::comm

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/memory.hpp"

namespace quartet::comm {

/// Asks a GrpcServer for bytes; a message of gRPC's has these two numbers, little-endian.
struct GrpcRequest {
    std::int64_t item = 0;  ///< by the server's own numbering
    std::int64_t size = 0;  ///< bytes
};

/// The method of all calls.
inline constexpr const char* grpc_method = "/quartet/fetch";
/// The key of the token in a call's metadata.
inline constexpr const char* grpc_token_key = "quartet-token";

/// Compares two tokens in a time that depends on their lengths alone, so that the time of a refusal
/// tells nothing about the right token. Local.
bool is_same_token(std::string_view one, std::string_view other);

/// Lets other ranks fetch bytes of this one. Whoever does not show the token is refused before any
/// message is read; no message is larger than a request. All members are local.
class GrpcServer {
  public:
    /// The answer to a request, or nothing if it is refused. A thread of gRPC's calls it. The bytes
    /// are sent from their place, and stay until the other rank has them.
    using Offer = std::function<std::optional<device::View<const std::byte>>(const GrpcRequest&)>;

    /// `host`: where to listen, on a port of the system's choice. Throws Failure if it cannot.
    GrpcServer(const std::string& host, Offer offer);
    /// Lets calls end before; at once while an exception unwinds.
    ~GrpcServer();
    GrpcServer(const GrpcServer&) = delete;
    GrpcServer& operator=(const GrpcServer&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }
    /// 256 random bits of the system, drawn anew for each server; for its clients alone.
    [[nodiscard]] const std::string& token() const { return token_; }

  private:
    class Service;

    std::string token_;
    std::string address_;
    std::unique_ptr<Service> service_;
    int exceptions_;
};

/// Bytes on their way from a GrpcServer.
class GrpcFetch {
  public:
    class Call;
    explicit GrpcFetch(std::shared_ptr<Call> call) : call_(std::move(call)) {}
    /// Gives up what has not come yet.
    ~GrpcFetch();
    GrpcFetch(const GrpcFetch&) = delete;
    GrpcFetch& operator=(const GrpcFetch&) = delete;

    /// Waits until all bytes are where they were fetched to. Throws Failure, in the server's words,
    /// if it refuses or has gone. Local.
    void wait();

  private:
    std::shared_ptr<Call> call_;  ///< gRPC's thread has a share in it
};

/// Fetches bytes of one other rank. All members are local.
class GrpcClient {
  public:
    /// A client of the GrpcServer on that address, with its token. No message is larger than
    /// `largest`. Throws Failure if the server cannot be reached.
    GrpcClient(const std::string& address, std::string token, Bytes largest);
    ~GrpcClient();
    GrpcClient(const GrpcClient&) = delete;
    GrpcClient& operator=(const GrpcClient&) = delete;

    /// Starts fetching `target.size()` bytes of an item.
    [[nodiscard]] std::unique_ptr<GrpcFetch> fetch(std::int64_t item,
                                                   const device::View<std::byte>& target);

  private:
    struct Connection;

    std::string token_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace quartet::comm

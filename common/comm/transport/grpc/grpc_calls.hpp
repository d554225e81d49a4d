#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "device/memory.hpp"

namespace quartet::comm {

/// A message of one rank to another: the number that it has in its lane.
struct GrpcMessage {
    std::int64_t to = 0;
    std::int64_t lane = 0;
    std::int64_t number = 0;

    auto operator<=>(const GrpcMessage&) const = default;
};

/// Asks an endpoint for a message; a message of gRPC's has these four numbers, little-endian.
struct GrpcRequest {
    GrpcMessage message;
    std::int64_t size = 0;  ///< bytes
};

/// The method of all calls.
inline constexpr const char* grpc_method = "/quartet/fetch";
/// The key of the token in a call's metadata.
inline constexpr const char* grpc_token_key = "quartet-token";

/// A secret: 256 random bits of the system as hexadecimal digits. Throws Failure if the system has
/// none.
std::string draw_token();
/// Compares two tokens. Its time depends on their lengths alone, so that the time of a refusal says
/// nothing about the right token.
bool is_same_token(std::string_view one, std::string_view other);

/// One rank's end of all calls. Other ranks fetch its messages, each once; its clients fetch
/// theirs. One thread does both: of several threads, one would wait for the network and would have
/// to hand over what it finds. A request may come before its message is offered: then it waits. A
/// caller without the token is refused before any message is read; no message from a caller is
/// larger than a request. All members are local.
class GrpcEndpoint {
  public:
    /// `host`: where to listen, on a port of the system's choice. Throws Failure if it cannot.
    explicit GrpcEndpoint(const std::string& host);
    /// Its clients' fetches must have ended. Waits up to 20 s for other ranks' calls; not while an
    /// exception unwinds.
    ~GrpcEndpoint();
    GrpcEndpoint(const GrpcEndpoint&) = delete;
    GrpcEndpoint& operator=(const GrpcEndpoint&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }
    /// Each endpoint draws its own; only other ranks' clients may know it.
    [[nodiscard]] const std::string& token() const { return token_; }

    /// Offers a message. It is sent from its place, and stays there until wait_until_taken().
    void offer(const GrpcMessage& message, const device::View<const std::byte>& bytes);
    void wait_until_taken(const GrpcMessage& message);

  private:
    friend class GrpcClient;
    class Service;

    std::string token_;
    std::string address_;
    std::unique_ptr<Service> service_;
    int exceptions_;
};

/// Bytes on their way from another rank.
class GrpcFetch {
  public:
    class Call;
    explicit GrpcFetch(std::shared_ptr<Call> call) : call_(std::move(call)) {}
    /// Gives up what has not come yet.
    ~GrpcFetch();
    GrpcFetch(const GrpcFetch&) = delete;
    GrpcFetch& operator=(const GrpcFetch&) = delete;

    /// Waits until all bytes are where they were fetched to. Throws Failure, in the server's words,
    /// if it refuses or has gone.
    void wait();

  private:
    std::shared_ptr<Call> call_;  ///< the endpoint's thread shares it
};

/// Fetches messages of one other rank. All members are local.
class GrpcClient {
  public:
    /// A client of the endpoint on that address, with its token. No message is larger than
    /// `largest`. Throws Failure if it cannot be reached. Borrows `mine`.
    GrpcClient(GrpcEndpoint& mine, const std::string& address, std::string token, Bytes largest);
    ~GrpcClient();
    GrpcClient(const GrpcClient&) = delete;
    GrpcClient& operator=(const GrpcClient&) = delete;

    /// Starts fetching a message of `target.size()` bytes.
    [[nodiscard]] std::unique_ptr<GrpcFetch> fetch(const GrpcMessage& message,
                                                   const device::View<std::byte>& target);

  private:
    struct Connection;

    GrpcEndpoint& mine_;
    std::string token_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace quartet::comm

#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "comm/topology/topology.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// The address on which this rank listens: within a node 127.0.0.1, which other hosts cannot reach;
/// between nodes the first private one, or the one that the user names by QUARTET_GRPC_ADDRESS.
/// Nothing if there is none. Local.
std::optional<std::string> grpc_address(const Topology& topology);
/// Why this rank cannot listen on an address, or cannot be reached there; nothing if it can. This
/// is checked first, because gRPC would write several lines about it. Local.
std::optional<std::string> why_not_heard_on(const std::string& address);

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

/// An operation of gRPC's that has been started. A completion queue says that it has ended.
class GrpcOperation {
  public:
    virtual ~GrpcOperation() = default;
    /// `done`: whether it did what it was to do.
    virtual void on_end(bool done) = 0;
};

/// One rank's end of all calls. Other ranks fetch its messages, each once; its clients fetch
/// theirs. One thread does both, in steps: of several threads, one would wait for the network and
/// would have to hand over what it finds. A request may come before its message is offered: then it
/// waits. A caller without the token is refused before any message is read; no message from a
/// caller is larger than a request. All members are local.
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
    class Call;
    struct Shared;

    void give(Call& call, const GrpcMessage& message);

    std::string token_;
    std::string address_;
    std::shared_ptr<Shared> shared_;
    grpc::AsyncGenericService calls_to_come_;
    std::unique_ptr<grpc::ServerCompletionQueue> queue_;
    std::unique_ptr<grpc::Server> server_;
    int calls_ = 0;  ///< that exist, with the one that waits to be accepted
    std::thread thread_;
    int exceptions_;
};

/// Bytes on their way from another rank.
class GrpcFetch final : public GrpcOperation {
  public:
    /// Asks for `message`; the endpoint's thread serves `queue`.
    GrpcFetch(grpc::GenericStub& stub, const std::string& token, const GrpcMessage& message,
              const device::View<std::byte>& target, grpc::CompletionQueue& queue);
    /// Gives up what has not come yet.
    ~GrpcFetch() override;
    GrpcFetch(const GrpcFetch&) = delete;
    GrpcFetch& operator=(const GrpcFetch&) = delete;

    /// Waits until all bytes are where they were fetched to. Throws Failure, in the server's words,
    /// if it refuses or has gone.
    void wait();

    void on_end(bool done) override;

  private:
    std::string copy();
    void wait_for_end();

    device::View<std::byte> target_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
    grpc::ByteBuffer answer_;
    grpc::Status status_;
    std::string problem_;  ///< after the end: why nothing was fetched, or empty
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;
};

/// Fetches messages of one other rank. All members are local.
class GrpcClient {
  public:
    /// A client of the endpoint on that address, with its token. No message is larger than
    /// `largest`. Throws Failure if it cannot be reached. Borrows `mine`.
    GrpcClient(GrpcEndpoint& mine, const std::string& address, std::string token, Bytes largest);

    /// Starts fetching a message of `target.size()` bytes.
    [[nodiscard]] std::unique_ptr<GrpcFetch> fetch(const GrpcMessage& message,
                                                   const device::View<std::byte>& target) {
        return std::make_unique<GrpcFetch>(stub_, token_, message, target, *mine_.queue_);
    }

  private:
    GrpcEndpoint& mine_;
    std::string token_;
    grpc::GenericStub stub_;
};

}  // namespace quartet::comm

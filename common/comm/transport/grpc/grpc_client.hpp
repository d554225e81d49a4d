#pragma once

#include <memory>
#include <string>

#include "comm/transport/grpc/grpc_wire.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

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
    std::shared_ptr<Call> call_;  ///< the receiving thread has a share in it
};

/// A thread that receives what clients fetch, and outlives them. Local.
class GrpcReceiver {
  public:
    GrpcReceiver();
    ~GrpcReceiver();
    GrpcReceiver(const GrpcReceiver&) = delete;
    GrpcReceiver& operator=(const GrpcReceiver&) = delete;

  private:
    friend class GrpcClient;
    struct Thread;

    std::unique_ptr<Thread> thread_;
};

/// Fetches bytes of one other rank. All members are local.
class GrpcClient {
  public:
    /// A client of the GrpcServer on that address, with its token. No message is larger than
    /// `largest`. Throws Failure if the server cannot be reached.
    GrpcClient(GrpcReceiver& receiver, const std::string& address, std::string token,
               Bytes largest);
    ~GrpcClient();
    GrpcClient(const GrpcClient&) = delete;
    GrpcClient& operator=(const GrpcClient&) = delete;

    /// Starts fetching `target.size()` bytes of an item.
    [[nodiscard]] std::unique_ptr<GrpcFetch> fetch(std::int64_t item,
                                                   const device::View<std::byte>& target);

  private:
    struct Connection;

    GrpcReceiver& receiver_;
    std::string token_;
    std::unique_ptr<Connection> connection_;
};

}  // namespace quartet::comm

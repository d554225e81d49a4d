#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/transport/grpc/grpc_inbox.hpp"
#include "comm/transport/shared/chunks.hpp"

namespace quartet::comm {

/// Listens for the senders of one push. It accepts one stream of each, that shows the token, and
/// refuses all others before it reads any message of theirs. Chunks come in their order and are
/// what their number says, or the sender has ended; no message is larger than a chunk.
class GrpcReceiver {
  public:
    /// `host`: where to listen, on a port of the system's choice. `senders`: ranks, ascending. All
    /// senders cut their vectors into `chunks`, as the target is. Throws Failure where it cannot
    /// listen. Local.
    GrpcReceiver(const std::string& host, std::vector<int> senders, const Chunks& chunks);
    /// Lets the senders end their streams before it ends them; at once while an exception unwinds.
    ~GrpcReceiver();
    GrpcReceiver(const GrpcReceiver&) = delete;
    GrpcReceiver& operator=(const GrpcReceiver&) = delete;

    [[nodiscard]] const std::string& address() const { return address_; }
    /// Drawn anew for each receiver; for its senders alone.
    [[nodiscard]] const std::string& token() const { return token_; }
    /// What has come, as chunks of the senders' indices. A thread for each of them fills it.
    [[nodiscard]] GrpcInbox& inbox() { return inbox_; }

  private:
    class Listener;

    GrpcInbox inbox_;
    std::string token_;
    std::string address_;
    std::unique_ptr<Listener> listener_;
    int exceptions_;
};

}  // namespace quartet::comm

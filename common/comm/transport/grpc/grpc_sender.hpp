#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "comm/transport/shared/chunks.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// One sender's stream to the receiver of a push.
class GrpcSender {
  public:
    /// Of `rank`, to the GrpcReceiver that listens on `address` and has that token and the same
    /// chunks. Throws Failure where it cannot be reached, or refuses. Local.
    GrpcSender(const std::string& address, const std::string& token, int rank,
               const Chunks& chunks);
    ~GrpcSender();
    GrpcSender(const GrpcSender&) = delete;
    GrpcSender& operator=(const GrpcSender&) = delete;

    /// The next chunk, of this source. Chunks go on from the last one of a vector to the first of
    /// the next. Throws Failure, with the receiver's words, where that has closed the stream.
    void send(device::View<const float> source);
    /// Waits until one more has been added. Throws as send().
    void await_acknowledgement();
    [[nodiscard]] std::int64_t unacknowledged() const { return sent_ - acknowledged_; }

  private:
    struct Call;
    [[noreturn]] void fail_as_closed();

    Chunks chunks_;
    std::unique_ptr<Call> call_;
    std::int64_t sent_ = 0;          ///< chunks
    std::int64_t acknowledged_ = 0;  ///< chunks
};

}  // namespace quartet::comm

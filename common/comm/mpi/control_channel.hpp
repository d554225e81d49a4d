#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "comm/mpi/communicator.hpp"

namespace quartet::comm {

/// A small message that any rank may send to any rank at any time.
struct ControlMessage {
    int source = 0;
    int kind = 0;  ///< the sender's own numbering, 0 to 32767
    std::vector<std::byte> payload;
};

/// Control messages on a communicator of their own: headers, credits, work counters. Payloads have
/// at most `largest_payload` bytes; bulk data goes by a Transport. Messages of one kind from one
/// rank to another stay in order.
class ControlChannel {
  public:
    static constexpr std::size_t largest_payload = 2048;
    static constexpr int largest_kind = 32767;  ///< MPI promises tags up to here

    /// Collective.
    explicit ControlChannel(const Communicator& parent);
    /// Collective, and waits for what this rank has sent; not while an exception unwinds.
    ~ControlChannel();
    ControlChannel(const ControlChannel&) = delete;
    ControlChannel& operator=(const ControlChannel&) = delete;

    /// Local; never waits for the receiver, so that two ranks may send to each other first. Throws
    /// Failure where the rank does not exist, the kind is out of range or the payload too large.
    void send(int to, int kind, std::span<const std::byte> payload = {});

    /// Local: the next message from any source, if one is there.
    std::optional<ControlMessage> poll();

  private:
    /// A message that MPI may still be reading.
    struct Outgoing {
        std::vector<std::byte> payload;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    Communicator comm_;
    std::deque<Outgoing> outgoing_;  ///< oldest first
    int exceptions_;                 ///< how many were in flight at construction
};

}  // namespace quartet::comm

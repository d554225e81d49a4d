#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace quartet::comm {

/// A small message that any rank may send to any rank at any time.
struct ControlMessage {
    int source = 0;
    int kind = 0;  ///< the sender's own numbering, 0 to 32767
    std::vector<std::byte> payload;
};

/// Control messages on a communicator of their own: headers, credits, work counters. Payloads are
/// small (at most `largest_payload`); bulk data goes by a Transport once matched. A pair's messages
/// of one kind stay in order.
class ControlChannel {
  public:
    static constexpr std::size_t largest_payload = 2048;

    /// Collective.
    explicit ControlChannel(const Communicator& parent);

    /// Local; returns once the message is on its way (it is small enough to be buffered by MPI).
    void send(int to, int kind, std::span<const std::byte> payload = {});

    /// Local: the next message from any source, if one is there.
    std::optional<ControlMessage> poll();
    /// Local: waits for a message from any source.
    ControlMessage receive();
    /// Local: waits for a message of one source and kind.
    ControlMessage receive(int from, int kind);

  private:
    ControlMessage take(MPI_Message& message, const MPI_Status& status);

    Communicator comm_;
};

}  // namespace quartet::comm

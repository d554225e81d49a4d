#pragma once

#include <vector>

#include "flow/message_dispatcher.hpp"

namespace quartet::flow {

/// One rank's broadcast to others, each of which has room for one payload. The paper's reducers
/// give their results back to the workers so (VI.C), by one FIFO queue for each worker. Here these
/// queues share two kinds of messages and one payload channel, so that a receiver's cost does not
/// grow with the number of receivers.
class Broadcast {
  public:
    /// `to` is ascending, without `from`; `largest` is the size of the largest payload. Making and
    /// destroying it is collective over the transport's ranks, but local while the arena plans.
    /// Borrows dispatcher and transport.
    Broadcast(device::Arena& arena, MessageDispatcher& dispatcher, comm::Transport& transport,
              int from, std::vector<int> to, Bytes largest);
    Broadcast(const Broadcast&) = delete;
    Broadcast& operator=(const Broadcast&) = delete;

    /// On `from`: sends a copy to each receiver. Waits until they have released the payload before.
    void publish(device::View<const std::byte> payload);
    /// On a receiver: waits for the next payload. It is readable until the next call or release().
    device::View<const std::byte> receive();
    /// On a receiver: lets the sender reuse the payload's memory.
    void release();
    /// On `from`: waits until all receivers have released what was published.
    void flush();

  private:
    void on_item(int sender, std::span<const std::byte> message);
    void on_done(int receiver);

    MessageDispatcher& dispatcher_;
    int from_;
    std::vector<int> to_;
    int item_kind_;
    int done_kind_;
    AnnouncedPayloads payloads_;
    bool receives_;

    std::vector<bool> read_;  ///< a sender's, by receiver: it has released its payload
    // A receiver's:
    bool arrived_ = false;  ///< a payload came, but receive() did not return it yet
    bool held_ = false;     ///< receive() returned a payload that is not released yet
};

}  // namespace quartet::flow

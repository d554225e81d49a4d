#pragma once

#include <vector>

#include "flow/message_dispatcher.hpp"

namespace quartet::flow {

/// One rank's broadcast to others, each with room for one payload: how the paper's reducers
/// give their results back to the workers (VI.C), by a FIFO queue each. All of these queues share
/// two kinds of messages and one payload channel, so what they cost a receiver does not grow with
/// the number of receivers.
class Broadcast {
  public:
    /// `to` ascending, without `from`. Collective over the transport's ranks, as is destroying it;
    /// local while the arena plans. MessageDispatcher and transport outlive it.
    Broadcast(device::Arena& arena, MessageDispatcher& dispatcher, comm::Transport& transport,
              int from, std::vector<int> to, Bytes largest);
    Broadcast(const Broadcast&) = delete;
    Broadcast& operator=(const Broadcast&) = delete;

    /// On `from`: sends a copy to each receiver. Waits until they have released the one before.
    void publish(device::View<const std::byte> payload);
    /// On a receiver: waits for the next one. It stays readable until the next call or release().
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

    std::vector<bool> read_;  ///< the sender's, by receiver: has released what it got
    // A receiver's:
    bool arrived_ = false;  ///< a payload came, and was not received yet
    bool held_ = false;     ///< one was received, and not released yet
};

}  // namespace quartet::flow

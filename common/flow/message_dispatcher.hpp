#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/transport.hpp"
#include "core/trace.hpp"

namespace quartet::flow {

/// Hands the control messages of a data flow to its queues and broadcasts. A rank that waits serves
/// the dispatcher meanwhile, so that it keeps answering other ranks. Handlers run only in such
/// waits and in serve().
class MessageDispatcher {
  public:
    /// Handles a message: its sender and its payload.
    using Handler = std::function<void(int from, std::span<const std::byte> payload)>;

    /// Records its waits in `track`, if there is one, and borrows it. Collective over `comm`; local
    /// while the arena plans.
    MessageDispatcher(const device::Arena& arena, const comm::Communicator& comm,
                      Track* track = nullptr);

    [[nodiscard]] const comm::Communicator& comm() const { return comm_; }

    /// Returns the number of a new kind of message, counted in the order of the calls: all ranks
    /// make the same calls. What the handler uses outlives the last message of its kind.
    int add(Handler handler);

    /// Sends a message. Local; never blocks.
    void send(int to, int kind, std::span<const std::byte> payload);
    /// Handles one message, if one is there. Local.
    bool serve();
    /// Serves until `condition` holds. Local.
    template <typename Condition>
    void serve_until(Condition condition) {
        if (condition()) {
            return;
        }
        const Seconds begin = now();
        while (!condition()) {
            if (!serve()) {
                std::this_thread::yield();  // ranks that share a core progress
            }
        }
        note_wait(begin);
    }

  private:
    void note_wait(Seconds begin);

    const comm::Communicator& comm_;
    std::optional<comm::ControlChannel> channel_;  ///< none while the arena plans
    std::vector<Handler> handlers_;                ///< by kind
    Track* track_;
};

/// The message that announces a payload to its receiver.
struct Announcement {
    std::int64_t key = 0;
    comm::PayloadDescriptor descriptor;
};

/// Payloads that control messages announce: small ones go with their announcement, others by the
/// transport's payload channel. See PayloadChannel.
class AnnouncedPayloads {
  public:
    /// Making and destroying them is collective over the transport's ranks, but local while the
    /// arena plans. Borrows dispatcher and transport.
    AnnouncedPayloads(device::Arena& arena, MessageDispatcher& dispatcher,
                      comm::Transport& transport, const comm::PayloadChannelPlan& plan);
    ~AnnouncedPayloads();

    device::View<std::byte> outgoing(int slot) { return channel_->outgoing(slot); }
    /// Sends the first `size` bytes of an outgoing slot, announced by a message of this kind. They
    /// must not change until release(). Local.
    void send(int to, int kind, std::int64_t key, int slot, Bytes size);
    void release(int slot) { channel_->release(slot); }

    /// Reads the announcement in a message of send(). Throws Failure if the message is too short.
    static Announcement read(std::span<const std::byte> message);
    /// Starts fetching what `message` announces into an incoming slot. Local.
    void fetch(int slot, int from, std::span<const std::byte> message);
    device::View<const std::byte> contents(int slot) { return channel_->contents(slot); }
    void read(int slot, const comm::UsePiece& use) { channel_->read(slot, use); }
    void finish(int slot) { channel_->finish(slot); }

  private:
    class Inline;

    MessageDispatcher& dispatcher_;
    std::unique_ptr<comm::PayloadChannel> channel_;
    Inline* inline_ = nullptr;  ///< `channel_` if payloads are small, else null
};

}  // namespace quartet::flow

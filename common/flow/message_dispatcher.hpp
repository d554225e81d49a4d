#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/transport.hpp"
#include "core/trace.hpp"
#include "system/memory/page.hpp"

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
    void send(int to, int kind, std::span<const std::byte> payload) {
        channel_->send(to, kind, payload);
    }
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
        if (track_ != nullptr) {
            track_->add({Phase::wait, "queue", begin, now()});
        }
    }

  private:
    const comm::Communicator& comm_;
    std::optional<comm::ControlChannel> channel_;  ///< none while the arena plans
    std::vector<Handler> handlers_;                ///< by kind
    Track* track_;
};

/// Returns the partners of the `owner` of a queue (its pushers) or broadcast (its receivers).
/// Throws Failure about `what` unless all are different ranks of the job's `ranks`, in ascending
/// order.
std::vector<int> checked_partners(int owner, std::vector<int> partners, int ranks,
                                  const std::string& what);

/// The message that announces a payload to its receiver.
struct Announcement {
    std::int64_t key = 0;
    comm::PayloadDescriptor descriptor;
};

/// Payloads that control messages announce: small ones go with their announcement, which saves a
/// message, others by the transport's payload channel. See PayloadChannel.
class AnnouncedPayloads {
  public:
    /// Making and destroying them is collective over the transport's ranks, but local while the
    /// arena plans. Borrows dispatcher and transport.
    AnnouncedPayloads(device::Arena& arena, MessageDispatcher& dispatcher,
                      comm::Transport& transport, const comm::PayloadChannelPlan& plan);

    device::View<std::byte> outgoing(int slot) {
        return channel_ ? channel_->outgoing(slot) : inline_slot(slot);
    }
    /// Sends the first `size` bytes of an outgoing slot, announced by a message of this kind. They
    /// must not change until release(). Local.
    void send(int to, int kind, std::int64_t key, int slot, Bytes size);
    void release(int slot) {
        if (channel_) {
            channel_->release(slot);
        }
    }

    /// Starts fetching what a message of send() announces into an incoming slot. Throws Failure if
    /// the message is too short. Local.
    Announcement fetch(int slot, int from, std::span<const std::byte> message);
    device::View<const std::byte> contents(int slot) {
        return channel_ ? channel_->contents(slot) : arrived_[static_cast<std::size_t>(slot)];
    }
    void read(int slot, const comm::UsePiece& use);
    void finish(int slot) {
        if (channel_) {
            channel_->finish(slot);
        }
    }

  private:
    /// The largest payload that goes with its announcement.
    static constexpr Bytes largest_inline{1024};
    static_assert(2 * largest_inline.value <= comm::ControlChannel::largest_payload);

    device::View<std::byte> inline_slot(int index);
    /// The distance of two slots, which share no cache line.
    [[nodiscard]] std::int64_t spacing() const {
        return system::whole_pages(plan_.largest.value, system::cache_line);
    }

    MessageDispatcher& dispatcher_;
    comm::PayloadChannelPlan plan_;
    std::unique_ptr<comm::PayloadChannel> channel_;  ///< none if payloads are small
    device::Buffer<std::byte> slots_;                ///< of small payloads: outgoing, then incoming
    std::vector<device::View<const std::byte>> arrived_;  ///< small payloads, by incoming slot
};

}  // namespace quartet::flow

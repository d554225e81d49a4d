#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "comm/transport/operation_memory.hpp"
#include "comm/transport/transport.hpp"
#include "flow/hub.hpp"
#include "flow/inline_payload_channel.hpp"

namespace quartet::flow {

/// The message that announces a payload to its receiver.
struct Announcement {
    std::int64_t key = 0;
    comm::PayloadDescriptor descriptor;
};

/// Payloads that control messages announce: small ones of the host's memory go with their
/// announcement, others by the transport's payload channel.
class AnnouncedPayloads {
  public:
    /// Memory that the payloads take. Local.
    static comm::PayloadMemory memory(const comm::PayloadChannelPlan& plan,
                                      const comm::OperationMemory& transport);

    /// Collective over the transport's ranks, as is destroying them. Hub and transport outlive
    /// them.
    AnnouncedPayloads(Hub& hub, comm::Transport& transport, const comm::PayloadChannelPlan& plan);

    /// See PayloadChannel.
    device::View<std::byte> outgoing(int slot) { return channel_->outgoing(slot); }
    /// Sends the first `size` bytes of an outgoing slot, announced by a message of this kind. They
    /// must not change until release(). Local.
    void send(int to, int kind, std::int64_t key, int slot, Bytes size);
    /// See PayloadChannel.
    void release(int slot) { channel_->release(slot); }

    /// Reads the announcement in a message of send(). Throws Failure if the message is too short.
    static Announcement read(std::span<const std::byte> message);
    /// Starts fetching what `message` announces into an incoming slot. Local.
    void fetch(int slot, int from, std::span<const std::byte> message);
    /// See PayloadChannel.
    device::View<const std::byte> contents(int slot) { return channel_->contents(slot); }
    void read(int slot, const comm::UsePiece& use) { channel_->read(slot, use); }
    void finish(int slot) { channel_->finish(slot); }

  private:
    Hub& hub_;
    std::unique_ptr<comm::PayloadChannel> channel_;
    InlinePayloadChannel* inline_ = nullptr;  ///< the same, where payloads are small
};

}  // namespace quartet::flow

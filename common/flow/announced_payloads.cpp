#include "flow/announced_payloads.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace quartet::flow {

namespace {

bool travels_inline(const comm::PayloadChannelPlan& plan) {
    return plan.largest <= InlinePayloadChannel::limit;
}

}  // namespace

comm::PayloadMemory AnnouncedPayloads::memory(const comm::PayloadChannelPlan& plan,
                                              const comm::OperationMemory& transport) {
    return travels_inline(plan) ? InlinePayloadChannel::memory(plan)
                                : transport.payload_channel(plan);
}

AnnouncedPayloads::AnnouncedPayloads(Hub& hub, comm::Transport& transport,
                                     const comm::PayloadChannelPlan& plan)
    : hub_(hub) {
    if (travels_inline(plan)) {
        auto small = std::make_unique<InlinePayloadChannel>(plan);
        inline_ = small.get();
        channel_ = std::move(small);
    } else {
        channel_ = transport.prepare_payload_channel(plan);
    }
}

void AnnouncedPayloads::send(int to, int kind, std::int64_t key, int slot, Bytes size) {
    // Receivers fetch in the order of the announcements, which is the order of sending.
    const comm::PayloadDescriptor descriptor = channel_->send(slot, size, to);
    const Announcement announcement{key, descriptor};
    std::array<std::byte, comm::ControlChannel::largest_payload> message;
    std::memcpy(message.data(), &announcement, sizeof(Announcement));
    std::size_t length = sizeof(Announcement);
    if (inline_ != nullptr && size.value > 0) {
        const auto attachment = inline_->attachment(descriptor);
        std::memcpy(&message[length], attachment.data(), attachment.size());
        length += attachment.size();
    }
    hub_.send(to, kind, std::span(message).first(length));
}

Announcement AnnouncedPayloads::read(std::span<const std::byte> message) {
    check(message.size() >= sizeof(Announcement), "a control message is shorter than its kind's");
    Announcement announcement;
    std::memcpy(&announcement, message.data(), sizeof(Announcement));
    return announcement;
}

void AnnouncedPayloads::fetch(int slot, int from, std::span<const std::byte> message) {
    channel_->fetch(slot, from, read(message).descriptor);
    if (inline_ != nullptr) {
        inline_->deliver(slot, message.subspan(sizeof(Announcement)));
    }
}

}  // namespace quartet::flow

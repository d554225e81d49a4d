#include "flow/message_dispatcher.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/check.hpp"
#include "system/memory/page.hpp"

namespace quartet::flow {

MessageDispatcher::MessageDispatcher(const device::Arena& arena, const comm::Communicator& comm,
                                     Track* track)
    : comm_(comm), track_(track) {
    if (!arena.plans()) {
        channel_.emplace(comm);
    }
}

int MessageDispatcher::add(Handler handler) {
    handlers_.push_back(std::move(handler));
    return static_cast<int>(handlers_.size()) - 1;
}

bool MessageDispatcher::serve() {
    const auto message = channel_->poll();
    if (!message) {
        return false;
    }
    const auto kind = static_cast<std::size_t>(message->kind);
    check(kind < handlers_.size(), "a control message has an unknown kind");
    handlers_[kind](message->source, message->payload);
    return true;
}

std::vector<int> checked_partners(int owner, std::vector<int> partners, int ranks,
                                  const std::string& what) {
    check(owner >= 0 && owner < ranks, what + "'s owner is not a rank");
    check(std::ranges::adjacent_find(partners, std::ranges::greater_equal{}) == partners.end(),
          what + "'s partners are not in ascending order");
    for (const int partner : partners) {
        check(partner >= 0 && partner < ranks && partner != owner,
              what + "'s partner is not another rank");
    }
    return partners;
}

AnnouncedPayloads::AnnouncedPayloads(device::Arena& arena, MessageDispatcher& dispatcher,
                                     comm::Transport& transport,
                                     const comm::PayloadChannelPlan& plan)
    : dispatcher_(dispatcher), plan_(plan) {
    if (plan.largest > largest_inline) {
        channel_ = transport.prepare_payload_channel(arena, plan);
        return;
    }
    slots_ = arena.make<std::byte>((plan.outgoing + plan.incoming) * spacing(),
                                   device::MemoryKind::host);
    arrived_.resize(static_cast<std::size_t>(plan.incoming));
}

device::View<std::byte> AnnouncedPayloads::inline_slot(int index) {
    return slots_.view().part(index * spacing(), plan_.largest.value);
}

void AnnouncedPayloads::send(int to, int kind, std::int64_t key, int slot, Bytes size) {
    // Receivers fetch in the order of the announcements, which is the order of sending.
    const Announcement announcement{
        key, channel_ ? channel_->send(slot, size, to) : comm::PayloadDescriptor{size.value, slot}};
    std::array<std::byte, comm::ControlChannel::largest_payload> message;
    std::memcpy(message.data(), &announcement, sizeof(Announcement));
    std::size_t length = sizeof(Announcement);
    if (!channel_) {
        const auto payload = inline_slot(slot).part(0, size.value);
        std::ranges::copy(payload.span(), message.begin() + sizeof(Announcement));
        length += payload.span().size();
    }
    dispatcher_.send(to, kind, std::span(message).first(length));
}

Announcement AnnouncedPayloads::fetch(int slot, int from, std::span<const std::byte> message) {
    check(message.size() >= sizeof(Announcement), "a control message is too short for its kind");
    Announcement announcement;
    std::memcpy(&announcement, message.data(), sizeof(Announcement));
    if (channel_) {
        channel_->fetch(slot, from, announcement.descriptor);
    } else {
        const auto payload = message.subspan(sizeof(Announcement));
        const auto place = inline_slot(plan_.outgoing + slot).part(0, std::ssize(payload));
        std::ranges::copy(payload, place.data());
        arrived_[static_cast<std::size_t>(slot)] = place;
    }
    return announcement;
}

void AnnouncedPayloads::read(int slot, const comm::UsePiece& use) {
    if (channel_) {
        channel_->read(slot, use);
    } else if (const auto payload = contents(slot); !payload.empty()) {
        use(0, payload);
    }
}

}  // namespace quartet::flow

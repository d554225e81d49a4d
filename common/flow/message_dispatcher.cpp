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

void MessageDispatcher::send(int to, int kind, std::span<const std::byte> payload) {
    channel_->send(to, kind, payload);
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

void MessageDispatcher::note_wait(Seconds begin) {
    if (track_ != nullptr) {
        track_->add({Phase::wait, "queue", begin, now()});
    }
}

/// Small payloads, which travel in the control messages that announce them: one message instead of
/// two.
class AnnouncedPayloads::Inline final : public comm::PayloadChannel {
  public:
    /// The largest payload that goes this way.
    static constexpr Bytes limit{1024};
    static_assert(2 * limit.value <= std::ptrdiff_t{comm::ControlChannel::largest_payload});

    Inline(device::Arena& arena, const comm::PayloadChannelPlan& plan)
        : largest_(plan.largest),
          lines_(lines_of(plan)),
          first_incoming_(plan.outgoing),
          memory_(arena.make_vector<Line>((plan.outgoing + plan.incoming) * lines_)),
          sizes_(static_cast<std::size_t>(plan.incoming)) {}

    /// The bytes that the announcement of a payload carries along.
    [[nodiscard]] std::span<const std::byte> attachment(const comm::PayloadDescriptor& payload) {
        return outgoing(static_cast<int>(payload.slot)).part(0, payload.size).span();
    }
    /// Takes what an announcement carried along.
    void deliver(int index, std::span<const std::byte> attachment) {
        check(std::ssize(attachment) <= largest_.value,
              "payload channel: a payload is larger than planned");
        std::ranges::copy(attachment, slot(first_incoming_ + index).data());
        sizes_.at(static_cast<std::size_t>(index)) = std::ssize(attachment);
    }

    device::View<std::byte> outgoing(int index) override { return slot(index); }
    comm::PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        return {size.value, slot};
    }
    void release(int /*slot*/) override {}
    void fetch(int /*slot*/, int /*from*/, const comm::PayloadDescriptor& /*descriptor*/) override {
    }
    device::View<const std::byte> contents(int index) override {
        return slot(first_incoming_ + index).part(0, sizes_.at(static_cast<std::size_t>(index)));
    }

  private:
    /// A cache line: the payloads of different slots share none.
    struct alignas(system::cache_line) Line {
        std::array<std::byte, system::cache_line> bytes;
    };

    static std::int64_t lines_of(const comm::PayloadChannelPlan& plan) {
        return (plan.largest.value + system::cache_line - 1) / system::cache_line;
    }
    device::View<std::byte> slot(int index) {
        const std::int64_t first = index * lines_;
        check(index >= 0 && first + lines_ <= std::ssize(memory_),
              "payload channel: there is no such slot");
        return {reinterpret_cast<std::byte*>(memory_.data() + first), largest_.value,
                device::MemoryKind::host};
    }

    Bytes largest_;
    std::int64_t lines_;  ///< lines of a slot
    int first_incoming_;
    std::vector<Line> memory_;         ///< outgoing slots, then incoming ones
    std::vector<std::int64_t> sizes_;  ///< bytes of the payloads that came, by slot
};

AnnouncedPayloads::AnnouncedPayloads(device::Arena& arena, MessageDispatcher& dispatcher,
                                     comm::Transport& transport,
                                     const comm::PayloadChannelPlan& plan)
    : dispatcher_(dispatcher) {
    if (plan.largest <= Inline::limit) {
        auto small = std::make_unique<Inline>(arena, plan);
        inline_ = small.get();
        channel_ = std::move(small);
    } else {
        channel_ = transport.prepare_payload_channel(arena, plan);
    }
}

AnnouncedPayloads::~AnnouncedPayloads() = default;

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
    dispatcher_.send(to, kind, std::span(message).first(length));
}

Announcement AnnouncedPayloads::read(std::span<const std::byte> message) {
    check(message.size() >= sizeof(Announcement), "a control message is too short for its kind");
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

#include "flow/broadcast.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace quartet::flow {

namespace {

// Each receiver has its own slot at the sender, which waits for that receiver alone before it
// reuses the slot.
comm::PayloadChannelPlan channel_of(int from, const std::vector<int>& to, Bytes largest, int rank) {
    return {.outgoing = rank == from ? static_cast<int>(to.size()) : 0,
            .incoming = std::ranges::binary_search(to, rank) ? 1 : 0,
            .largest = largest};
}

}  // namespace

Broadcast::Broadcast(device::Arena& arena, MessageDispatcher& dispatcher,
                     comm::Transport& transport, int from, std::vector<int> to, Bytes largest)
    : dispatcher_(dispatcher),
      from_(from),
      to_(checked_partners(from, std::move(to), dispatcher.comm().size(), "a broadcast")),
      item_kind_(dispatcher.add([this](int sender, auto message) { on_item(sender, message); })),
      done_kind_(dispatcher.add([this](int receiver, auto) { on_done(receiver); })),
      payloads_(arena, dispatcher, transport,
                channel_of(from, to_, largest, dispatcher.comm().rank())),
      receives_(std::ranges::binary_search(to_, dispatcher.comm().rank())),
      read_(dispatcher.comm().rank() == from ? to_.size() : 0, true) {}

void Broadcast::publish(device::View<const std::byte> payload) {
    check(dispatcher_.comm().rank() == from_, "this rank does not publish here");
    for (std::size_t index = 0; index < to_.size(); ++index) {
        dispatcher_.serve_until([&] { return read_[index]; });
        read_[index] = false;
        const int slot = static_cast<int>(index);
        const auto copy = payloads_.outgoing(slot).part(0, payload.size());
        std::memcpy(copy.data(), payload.data(), static_cast<std::size_t>(payload.size()));
        payloads_.send(to_[index], item_kind_, 0, slot, payload.bytes());
    }
}

device::View<const std::byte> Broadcast::receive() {
    check(receives_, "this rank receives no broadcast");
    release();
    dispatcher_.serve_until([&] { return arrived_; });
    arrived_ = false;
    held_ = true;
    return payloads_.contents(0);
}

void Broadcast::release() {
    check(receives_, "this rank receives no broadcast");
    if (std::exchange(held_, false)) {
        payloads_.finish(0);
        dispatcher_.send(from_, done_kind_, {});
    }
}

void Broadcast::flush() {
    dispatcher_.serve_until([&] { return std::ranges::find(read_, false) == read_.end(); });
}

void Broadcast::on_item(int sender, std::span<const std::byte> message) {
    check(receives_ && sender == from_ && !arrived_ && !held_,
          "a broadcast has no room for another payload");
    payloads_.fetch(0, sender, message);
    arrived_ = true;
}

void Broadcast::on_done(int receiver) {
    const auto place = std::ranges::lower_bound(to_, receiver);
    check(place != to_.end() && *place == receiver && !read_.empty(),
          "a broadcast was released by a rank that does not receive it");
    const auto index = static_cast<std::size_t>(place - to_.begin());
    payloads_.release(static_cast<int>(index));
    read_[index] = true;
}

}  // namespace quartet::flow

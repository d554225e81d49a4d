#include "flow/queue.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/check.hpp"

namespace quartet::flow {

namespace {

std::int64_t number_in(std::span<const std::byte> payload) {
    std::int64_t number = 0;
    check(payload.size() == sizeof number, "a control message has another size than its kind");
    std::memcpy(&number, payload.data(), sizeof number);
    return number;
}

QueuePlan sound(QueuePlan plan, int ranks) {
    check(plan.bound >= 1, "a queue holds at least one item");
    check(plan.outgoing >= 1, "a pusher needs memory for one payload");
    plan.pushers = checked_partners(plan.owner, std::move(plan.pushers), ranks, "a queue");
    return plan;
}

// A pusher's items under way fit its own memory: the owner needs no more slots than all of that.
comm::PayloadChannelPlan channel_plan(const QueuePlan& plan, int rank) {
    const bool pushes = std::ranges::binary_search(plan.pushers, rank);
    const int most = plan.outgoing * static_cast<int>(plan.pushers.size());
    return {.outgoing = pushes ? plan.outgoing : 0,
            .incoming = rank == plan.owner ? std::min(plan.bound, most) : 0,
            .largest = plan.largest,
            .reading = plan.reading,
            .values = plan.values};
}

}  // namespace

Queue::Queue(device::Arena& arena, MessageDispatcher& dispatcher, comm::Transport& transport,
             QueuePlan plan)
    : dispatcher_(dispatcher),
      plan_(sound(std::move(plan), dispatcher.comm().size())),
      rank_(dispatcher.comm().rank()),
      item_kind_(dispatcher.add([this](int from, auto message) { on_item(from, message); })),
      request_kind_(dispatcher.add([this](int from, auto payload) {
          requests_.push_back({from, number_in(payload)});
          grant_credits();
      })),
      credit_kind_(dispatcher.add([this](int, auto) { ++credits_; })),
      done_kind_(dispatcher.add([this](int, auto payload) { on_done(number_in(payload)); })),
      close_kind_(dispatcher.add([this](int, auto) { ++closed_; })),
      payloads_(arena, dispatcher, transport, channel_plan(plan_, rank_)) {
    const comm::PayloadChannelPlan channel = channel_plan(plan_, rank_);
    free_slots_.resize(static_cast<std::size_t>(channel.outgoing));
    std::iota(free_slots_.begin(), free_slots_.end(), 0);
    next_slots_.reserve(free_slots_.size());
    if (channel.outgoing > 0 && !shared_credits()) {
        credits_ = plan_.bound / static_cast<int>(plan_.pushers.size());
    }
    if (owns()) {
        free_credits_ = shared_credits() ? plan_.bound : 0;
        incoming_slots_.resize(static_cast<std::size_t>(channel.incoming));
        std::iota(incoming_slots_.rbegin(), incoming_slots_.rend(), 0);
        waiting_.reserve(incoming_slots_.size());
        handed_out_.reserve(incoming_slots_.size());
        requests_.reserve(plan_.pushers.size());
    }
}

void Queue::send(int to, int kind, std::int64_t number) {
    dispatcher_.send(to, kind, std::as_bytes(std::span(&number, 1)));
}

device::View<std::byte> Queue::next(int others) {
    check(pushes(), "this rank does not push to this queue");
    check(others >= 0 && others < plan_.outgoing,
          "a payload is further ahead than a pusher has slots");
    while (std::ssize(next_slots_) <= others) {
        dispatcher_.serve_until([&] { return !free_slots_.empty(); });
        const auto first = std::ranges::min_element(free_slots_);
        next_slots_.push_back(*first);
        free_slots_.erase(first);
    }
    return payloads_.outgoing(next_slots_[static_cast<std::size_t>(others)]);
}

void Queue::push(std::int64_t key, Bytes size) {
    static_cast<void>(next());
    if (shared_credits()) {
        send(plan_.owner, request_kind_, key);
    }
    dispatcher_.serve_until([&] { return credits_ > 0; });
    --credits_;
    const int slot = next_slots_.front();
    next_slots_.erase(next_slots_.begin());
    payloads_.send(plan_.owner, item_kind_, key, slot, size);
}

void Queue::flush() {
    const std::size_t all = pushes() ? static_cast<std::size_t>(plan_.outgoing) : 0;
    dispatcher_.serve_until([&] { return free_slots_.size() + next_slots_.size() == all; });
}

void Queue::close() {
    flush();
    send(plan_.owner, close_kind_, 0);
}

void Queue::on_done(std::int64_t slot) {
    payloads_.release(static_cast<int>(slot));
    free_slots_.push_back(static_cast<int>(slot));
    if (!shared_credits()) {
        ++credits_;
    }
}

void Queue::on_item(int from, std::span<const std::byte> message) {
    check(!incoming_slots_.empty(), "a queue has no room for another item");
    const int slot = incoming_slots_.back();
    incoming_slots_.pop_back();
    const auto [key, descriptor] = payloads_.fetch(slot, from, message);
    check(!in_sequence() || (key >= released_ + std::ssize(handed_out_) &&
                             std::ranges::find(waiting_, key, &Item::key) == waiting_.end()),
          "an item of a sequence came twice");
    const auto place = plan_.order == DequeueOrder::arrival
                           ? waiting_.end()
                           : std::ranges::upper_bound(waiting_, key, {}, &Item::key);
    waiting_.insert(place, {from, key, {}, slot, descriptor.slot});
}

void Queue::grant_credits() {
    std::erase_if(requests_, [this](const CreditRequest& request) {
        if (free_credits_ == 0 || (in_sequence() && request.key >= released_ + plan_.bound)) {
            return false;
        }
        --free_credits_;
        send(request.from, credit_kind_, 0);
        return true;
    });
}

// How many of the waiting items may come out now.
std::ptrdiff_t Queue::count_next(int most) const {
    const auto limit = std::min<std::ptrdiff_t>(std::ssize(waiting_), most);
    if (!in_sequence()) {
        return limit;
    }
    std::ptrdiff_t count = 0;
    while (count < limit && waiting_[static_cast<std::size_t>(count)].key == released_ + count) {
        ++count;
    }
    return count;
}

std::span<const Item> Queue::dequeue(int most) {
    check(owns(), "this rank does not own this queue");
    release();
    const int pushers = static_cast<int>(plan_.pushers.size());
    dispatcher_.serve_until([&] { return count_next(1) > 0 || closed_ == pushers; });
    if (waiting_.empty()) {
        closed_ = 0;  // for the next round
        released_ = 0;
        return {};
    }
    while (dispatcher_.serve()) {  // takes all messages that are there
    }
    const auto end = waiting_.begin() + count_next(most);
    handed_out_.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    if (plan_.reading == comm::PayloadReading::whole) {
        for (Item& item : handed_out_) {
            item.payload = payloads_.contents(item.slot);
        }
    }
    return handed_out_;
}

void Queue::release() {
    for (const Item& item : handed_out_) {
        incoming_slots_.push_back(item.slot);
        payloads_.finish(item.slot);
        send(item.from, done_kind_, item.outgoing);
        free_credits_ += shared_credits() ? 1 : 0;
    }
    released_ += std::ssize(handed_out_);
    handed_out_.clear();
    grant_credits();
}

}  // namespace quartet::flow

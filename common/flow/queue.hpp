#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/transport/transport.hpp"
#include "flow/hub.hpp"
#include "flow/inline_mail.hpp"

namespace quartet::flow {

/// Which of the items that a queue holds comes out first.
enum class Order {
    arrival,  ///< the one that came first
    key,      ///< the one of the smallest key
    /// Keys 0, 1, 2 and so on: each waits for the one before, whoever pushes it. A round has each
    /// key once, and each pusher pushes its own in ascending order.
    sequence,
};

/// A queue before it is made; the same on all ranks.
struct QueuePlan {
    int owner = 0;
    std::vector<int> pushers;  ///< other ranks than the owner, ascending
    int bound = 16;            ///< items that it holds at most, those under way included
    Bytes largest{};           ///< of a payload; 0 for queues of keys alone
    Order order = Order::arrival;
    int outgoing = 2;  ///< payloads that one pusher may have waiting in its own memory
};

/// What was pushed.
struct Item {
    int from = 0;
    std::int64_t key = 0;
    device::View<const std::byte> payload;
};

/// A bounded queue that one rank owns and others push to: the paper's FIFO and priority queues (IV,
/// VI). An item's header goes by the hub's control messages, its payload with it where it is small,
/// else by the transport's mail once the owner has room. Room is counted in credits: with as many
/// places as pushers or more, each pusher has its own share of them, so that none waits for
/// another; with fewer, credits are lent to one item that is ready at a time, in the order in which
/// they were asked for. So nothing is sent that the owner has no place for, and an owner that keeps
/// dequeuing lets every pusher go on, whatever the bound.
///
/// In Order::sequence credits are lent to the next `bound` keys only: what they may take up, the
/// key that is wanted next never lacks. Pushers who go through one list of keys for several queues,
/// each its part of it in ascending order, do not block each other either: the least key that is
/// not yet done is the next one of its queue and of its pusher, whose earlier ones are all done.
class Queue {
  public:
    /// Collective over the transport's ranks, making and destroying. Hub and transport outlive it.
    Queue(Hub& hub, comm::Transport& transport, QueuePlan plan);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// On a pusher: memory for the next payload, as long as the largest one. Waits for room there.
    device::View<std::byte> next();
    /// On a pusher: the memory that next() gives out in turn, plan().outgoing places, to be filled
    /// once where each payload is the same.
    device::View<std::byte> outgoing(int place) { return mail_->outgoing(place); }
    /// On a pusher: pushes the first `size` bytes of next(), which the caller has filled. Waits for
    /// a credit.
    void push(std::int64_t key, Bytes size);
    /// On a pusher: waits until the owner is done with all that it has pushed.
    void settle();
    /// On a pusher: settles, and will push no more in this round. A round ends with all pushers'
    /// closing; the next one begins after something that all ranks take part in.
    void close();

    /// On the owner: waits for an item and returns it and up to `most` of those that are there;
    /// none once every pusher has closed. They stay readable until the next call or release().
    std::span<const Item> dequeue(int most);
    /// On the owner: is done with what was dequeued.
    void release();

    [[nodiscard]] const QueuePlan& plan() const { return plan_; }
    /// Most items that were held at a time, so far; on the owner.
    [[nodiscard]] int high_water() const { return high_water_; }

  private:
    struct Header;
    /// An item in the queue, or in the hands of who dequeued it.
    struct Held {
        int from = 0;
        std::int64_t key = 0;
        std::int64_t arrival = 0;
        int place = 0;            ///< of the owner's
        std::int64_t theirs = 0;  ///< the place at the pusher
    };

    /// A pusher that waits for a credit.
    struct Wish {
        int from = 0;
        std::int64_t key = 0;
    };

    [[nodiscard]] bool shared_credits() const;
    [[nodiscard]] int own_credits() const;
    [[nodiscard]] bool may_come(const Wish& wish) const;
    [[nodiscard]] bool came_before(std::int64_t key) const;
    [[nodiscard]] bool next_is_there() const;
    [[nodiscard]] std::size_t count_next(int most) const;
    void sort_waiting();
    void on_item(int from, std::span<const std::byte> message);
    void on_wish(const Wish& wish);
    void on_done(std::int64_t place);
    void grant_waiting();
    void send(int to, int kind, const Header& header);
    [[nodiscard]] bool owns() const { return rank_ == plan_.owner; }

    Hub& hub_;
    QueuePlan plan_;
    int rank_;
    int item_kind_;
    int wish_kind_;
    int credit_kind_;
    int done_kind_;
    int close_kind_;
    std::unique_ptr<comm::Mail> mail_;
    InlineMail* inline_ = nullptr;  ///< the same, where payloads are small

    // A pusher's:
    int credits_ = 0;
    std::vector<bool> free_places_;
    int next_place_ = -1;  ///< the one that next() gave out

    // The owner's:
    int lendable_ = 0;  ///< credits that are lent one by one
    std::vector<Wish> wishes_;
    std::vector<int> places_;  ///< of incoming payloads, free
    std::vector<Held> waiting_;
    std::vector<Held> handed_out_;
    std::vector<Item> items_;  ///< what dequeue() returned last
    std::int64_t arrivals_ = 0;
    std::int64_t released_ = 0;  ///< items, in this round: in a sequence, the next key
    int closed_ = 0;             ///< pushers that have, in this round
    int high_water_ = 0;
};

/// Throws Unavailable where the transport has no mail, which queues need. Local.
void require_queues(const comm::Transport& transport);

/// On the owner: takes `count` items out, up to `most` at a time, and hands each to `use`.
template <typename Use>
void take(Queue& queue, int count, int most, Use use) {
    while (count > 0) {
        const auto items = queue.dequeue(std::min(count, most));
        check(!items.empty(), "a queue was closed before all items had come");
        for (const Item& item : items) {
            use(item);
        }
        count -= static_cast<int>(items.size());
    }
    queue.release();
}

}  // namespace quartet::flow

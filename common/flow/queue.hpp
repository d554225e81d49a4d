#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/message_dispatcher.hpp"

namespace quartet::flow {

/// Which item of a queue comes out first.
enum class DequeueOrder {
    arrival,  ///< the one that came first: a FIFO queue
    key,      ///< the one of the smallest key: a priority queue
    /// Keys 0, 1, 2 and so on; each waits for the one before. A round has each key once, and each
    /// pusher pushes its own keys in ascending order.
    sequence,
};

/// A queue before it is made; the same on all ranks.
struct QueuePlan {
    int owner = 0;
    std::vector<int> pushers;  ///< other ranks than the owner, ascending
    int bound = 16;            ///< the most items that it holds, with those under way
    Bytes largest{};           ///< of a payload; 0 for queues of keys alone
    DequeueOrder order = DequeueOrder::arrival;
    int outgoing = 2;  ///< payloads that one pusher may have waiting in its own memory
    comm::PayloadReading reading = comm::PayloadReading::whole;
    comm::PayloadValues values = comm::PayloadValues::differ;
};

/// An item that was pushed.
struct Item {
    int from = 0;
    std::int64_t key = 0;
    device::View<const std::byte> payload;  ///< where it is read whole
    int slot = 0;                           ///< incoming, of the owner: for Queue::read()
    std::int64_t outgoing = 0;              ///< slot of the pusher
};

/// A bounded queue that one rank owns and others push to: the paper's FIFO and priority queues (IV,
/// VI). Headers go by the dispatcher's control messages. Small payloads go with the header, others
/// by the transport's payload channel once the owner has a free slot. Streams that write a payload
/// must be synchronized before it is pushed, and streams that read it before it is released.
///
/// A pusher needs a credit for each item, so nothing is sent that the owner has no slot for. Where
/// the bound is at least the number of pushers, each pusher has its own share of the credits and
/// waits for no other. Where it is less, pushers request a credit for each item, and the owner
/// grants them in the order of the requests. An owner that keeps dequeuing lets every pusher go on,
/// whatever the bound.
///
/// In DequeueOrder::sequence only the next `bound` keys get credits, so the next key can always
/// enter: no deadlock. Pushers that push one list of keys to several queues, each pusher its part
/// in ascending order, do not block each other either: the least key that is not done is the next
/// key of its queue and of its pusher.
class Queue {
  public:
    /// Making and destroying it is collective over the transport's ranks, but local while the arena
    /// plans. Borrows dispatcher and transport.
    Queue(device::Arena& arena, MessageDispatcher& dispatcher, comm::Transport& transport,
          QueuePlan plan);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// On a pusher: memory, of plan().largest bytes, for the payload that is pushed after `others`
    /// more, which are fewer than its slots. Waits for a free slot.
    device::View<std::byte> next(int others = 0);
    /// On a pusher: the memory of one of its plan().outgoing slots, which next() gives out in turn.
    /// Where all payloads are the same, fill each slot once.
    device::View<std::byte> outgoing(int slot) { return payloads_.outgoing(slot); }
    /// On a pusher: pushes the first `size` bytes of next(), which the caller has filled. Waits for
    /// a credit.
    void push(std::int64_t key, Bytes size);
    /// On a pusher: waits until the owner is done with all that it has pushed.
    void flush();
    /// On a pusher: flushes, and says that it pushes no more in this round. A round ends when all
    /// pushers have closed. The next one begins after a collective operation of all ranks.
    void close();

    /// On the owner: waits for an item and returns the first items, at most `most`; none once every
    /// pusher has closed. They stay readable until the next call or release().
    std::span<const Item> dequeue(int most);
    /// On the owner: hands over the payload of a dequeued item, as PayloadChannel::read() does. If
    /// payloads are read in pieces, each item must be read once before it is released.
    void read(const Item& item, const comm::UsePiece& use) { payloads_.read(item.slot, use); }
    /// On the owner: gives the slots of the dequeued items back to their pushers.
    void release();

    [[nodiscard]] const QueuePlan& plan() const { return plan_; }

  private:
    /// A pusher that waits for a credit.
    struct CreditRequest {
        int from = 0;
        std::int64_t key = 0;
    };

    [[nodiscard]] bool shared_credits() const { return plan_.bound < std::ssize(plan_.pushers); }
    [[nodiscard]] bool in_sequence() const { return plan_.order == DequeueOrder::sequence; }
    [[nodiscard]] std::ptrdiff_t count_next(int most) const;
    void on_item(int from, std::span<const std::byte> message);
    void on_done(std::int64_t slot);
    void grant_credits();
    void send(int to, int kind, std::int64_t number);
    [[nodiscard]] bool pushes() const { return std::ranges::binary_search(plan_.pushers, rank_); }
    [[nodiscard]] bool owns() const { return rank_ == plan_.owner; }

    MessageDispatcher& dispatcher_;
    QueuePlan plan_;
    int rank_;
    int item_kind_;
    int request_kind_;
    int credit_kind_;
    int done_kind_;
    int close_kind_;
    AnnouncedPayloads payloads_;

    // A pusher's:
    int credits_ = 0;
    std::vector<int> free_slots_;
    std::vector<int> next_slots_;  ///< slots that next() gave out, not pushed yet

    // The owner's:
    int free_credits_ = 0;  ///< credits to grant on request that nobody holds
    std::vector<CreditRequest> requests_;
    std::vector<int> incoming_slots_;  ///< the free ones
    std::vector<Item> waiting_;        ///< in the order in which they come out
    std::vector<Item> handed_out_;     ///< what dequeue() returned last, until release()
    std::int64_t released_ = 0;        ///< items in this round; in a sequence, the next key
    int closed_ = 0;                   ///< pushers that have closed in this round
};

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

#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "comm/transport/transport.hpp"
#include "device/vector_operations.hpp"
#include "system/memory/page.hpp"

/// What the files of transport/ share; not for other folders.
namespace quartet::comm {

inline std::size_t index(std::int64_t number) {
    return static_cast<std::size_t>(number);
}

/// Calls `work` with consecutive parts of `data`, of at most `largest` bytes; once if it is empty.
template <typename Byte, typename Work>
void for_parts(device::View<Byte> data, std::int64_t largest, Work work) {
    std::int64_t first = 0;
    do {
        const std::int64_t size = std::min(largest, data.size() - first);
        work(data.part(first, size));
        first += size;
    } while (first < data.size());
}

/// A slot of a transport that is not busy, a new one if need be; from now on it is busy.
template <typename UnderWay>
Ticket take_slot(std::vector<UnderWay>& slots) {
    auto idle = std::ranges::find(slots, false, &UnderWay::busy);
    if (idle == slots.end()) {
        idle = slots.insert(slots.end(), UnderWay());
    }
    idle->busy = true;
    return {static_cast<int>(idle - slots.begin())};
}

/// Messages without data, which say that everything so far has been used.
void acknowledge(int to, int lane, const Communicator& comm);
void await_acknowledgement(int from, int lane, const Communicator& comm);

/// How a vector is cut: into pieces of one size, the last of which may be shorter. Piece numbers go
/// on if the vector is sent again: piece count() is the first piece once more.
struct Cut {
    std::int64_t size = 0;
    std::int64_t piece = 1;

    [[nodiscard]] std::int64_t count() const { return (size + piece - 1) / piece; }
    [[nodiscard]] std::int64_t first(std::int64_t number) const { return number % count() * piece; }
    [[nodiscard]] std::int64_t length(std::int64_t number) const {
        return std::min(piece, size - first(number));
    }
};

/// How a vector is cut into messages: of --chunk, or, without the pipeline, of the largest size of
/// a message. Pieces have whole cache lines.
struct Pieces {
    Cut cut;
    std::int64_t under_way = 1;  ///< pieces for which a receiver has memory
};
Pieces pieces_of(Bytes vector, const Transport& transport);

/// Pushes whose pieces the receiver adds, in the order of the senders' ranks: the same bits each
/// time. `Mover` moves the vectors. While the receiver uses one piece, the next one comes.
///
///     Mover(arena, transport, plan, more...)
///     void send(int times, stream);    on a sender: sends its source `times` times
///     void begin(int times, stream);   on the receiver: begins to receive each source as often
///     View take(sender, stream);       waits for the next piece of a sender (an index)
///     void used(sender, stream);       the stream's work so far has used the piece
///     void end(stream);                on the receiver: waits until everything has been used
///     Cut cut() const;                 how vectors are cut
///
/// take() and used() are called in turn for each sender, cut().count() times for each vector.
template <typename Mover>
class PushByReceiver final : public Push {
  public:
    template <typename... More>
    PushByReceiver(device::Arena& arena, Transport& transport, const PushPlan& plan, More&... more)
        : transport_(transport),
          plan_(plan),
          copies_(transport.traits().receive == Receive::copied),
          acknowledgements_(copies_ ? transport.new_lane(arena) : -1),
          pieces_(arena, transport, plan, more...) {}

    void run(int count, device::Stream& stream) override {
        const int rank = transport_.comm().rank();
        if (count == 0 || plan_.senders.empty()) {
            return;
        }
        if (plan_.sends(rank)) {
            pieces_.send(count, stream);
            if (copies_) {
                const Span span(transport_.track(), Phase::push, "send");
                await_acknowledgement(plan_.receiver, acknowledgements_, transport_.comm());
            }
        } else if (rank == plan_.receiver) {
            receive_all(count, stream);
        }
    }

  private:
    void receive_all(int count, device::Stream& stream) {
        const Cut cut = pieces_.cut();
        pieces_.begin(count, stream);
        for (std::int64_t piece = 0; piece < count * cut.count(); ++piece) {
            for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
                const auto part = pieces_.take(sender, stream);
                const auto target =
                    device::as_bytes(plan_.target).part(cut.first(piece), part.size());
                transport_.device().vectors().add(device::view_as<float>(part),
                                                  device::view_as<float>(target), stream);
                pieces_.used(sender, stream);
            }
        }
        pieces_.end(stream);
        for (const int sender : plan_.senders) {
            if (copies_) {
                acknowledge(sender, acknowledgements_, transport_.comm());
            }
        }
    }

    Transport& transport_;
    PushPlan plan_;
    bool copies_;
    int acknowledgements_;  ///< their lane
    Mover pieces_;
};

/// A number in shared memory, which one rank raises and others wait for.
using SharedFlag = std::atomic<std::int64_t>;
static_assert(SharedFlag::is_always_lock_free);

/// Returns once `flag` is at least `value`; then everything that its rank wrote before is visible.
/// Spins first, since the other rank answers within a microsecond if it has its own core. Then
/// yields, since spinning would keep a rank on the same core from answering.
inline void wait_until(const SharedFlag& flag, std::int64_t value) {
    constexpr int spins_before_yield = 2000;
    for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin) {
        if (spin > spins_before_yield) {
            sched_yield();
        }
    }
}

/// One T for each rank, which that rank writes and all ranks read: flags, too small for the arena
/// to plan.
template <typename T>
class OfRanks {
  public:
    /// Collective; makes nothing while the arena plans.
    OfRanks(const device::Arena& arena, Transport& transport) {
        if (arena.plans()) {
            return;
        }
        memory_ = transport.allocate(bytes_of<T>(1), Place::host);
        mine_ = ::new (static_cast<void*>(memory_.data.get())) T{};
        const device::View<const std::byte> mine(memory_.data.get(), bytes_of<T>(1).value,
                                                 memory_.kind);
        for (const auto& there : transport.of_all(mine)) {
            all_.push_back(reinterpret_cast<const T*>(there.data()));
        }
        transport.comm().barrier();  // every rank has made its T
    }

    [[nodiscard]] T& mine() { return *mine_; }
    [[nodiscard]] const T& of(int rank) const { return *all_[index(rank)]; }
    [[nodiscard]] const std::vector<const T*>& all() const { return all_; }

  private:
    device::Allocation memory_;
    T* mine_ = nullptr;
    std::vector<const T*> all_;
};

/// A count alone on its cache line.
struct alignas(system::line_spacing) Line {
    SharedFlag count{0};

    // Publishes earlier writes, and comes after earlier reads: others may then write there.
    void set(std::int64_t number) { count.store(number, std::memory_order_release); }
    void await(std::int64_t number) const { wait_until(count, number); }
};

/// A rank's shares of the last two sums, each beside the sum's number; zero before the first sum.
struct SharedShares {
    struct alignas(system::line_spacing) Line {
        SharedFlag sum{0};
        std::array<double, 7> values{};
    };
    std::array<Line, 2> lines;
};

/// Each rank writes its shares and the number of the sum to its own cache line, and reads those of
/// the others, all in rank order. Two lines are used in turn: a rank that writes its line for sum n
/// has read all ranks' numbers n - 1. A rank writes n - 1 only after it has read all shares of sum
/// n - 2, which were in this line: it is free again.
class SharedSum {
  public:
    /// `all` by rank, as this process sees them. Borrows them. Local.
    SharedSum(SharedShares& mine, std::vector<const SharedShares*> all)
        : mine_(mine), all_(std::move(all)) {}
    void run(std::span<double> values);

  private:
    SharedShares& mine_;
    std::vector<const SharedShares*> all_;
    std::int64_t sums_ = 0;  ///< so far
};

}  // namespace quartet::comm

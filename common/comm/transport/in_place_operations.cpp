#include <sched.h>

#include <array>
#include <atomic>
#include <new>

#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "system/memory/page.hpp"

// Operations of transports that read in place: they use of_all(), and flags that one rank writes
// and others read.
namespace quartet::comm {

namespace {

using device::View;

static_assert(SharedFlag::is_always_lock_free);

/// Returns once `flag` is at least `value`; then everything that its rank wrote before is visible.
/// Spins first, since the other rank answers within a microsecond if it has its own core. Then
/// yields, since spinning would keep a rank on the same core from answering.
void wait_until(const SharedFlag& flag, std::int64_t value) {
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
        const View<const std::byte> mine(memory_.data.get(), bytes_of<T>(1).value, memory_.kind);
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

class InPlaceExchange final : public Exchange {
  public:
    InPlaceExchange(const device::Arena& arena, Transport& transport, const ExchangePlan& plan);

    void run(device::Stream& stream) override;
    [[nodiscard]] std::span<const View<const std::byte>> parts() const override { return parts_; }
    void release(device::Stream& stream) override;

  private:
    struct Flags {
        Line written;  ///< runs for which this rank has written its parts
        Line read;     ///< runs whose parts this rank has read
    };

    CallerBarriers barriers_;
    Track& track_;
    OfRanks<Flags> flags_;
    std::vector<View<const std::byte>> parts_;
    std::vector<int> senders_;
    std::vector<int> readers_;
    std::int64_t run_ = 0;
};

InPlaceExchange::InPlaceExchange(const device::Arena& arena, Transport& transport,
                                 const ExchangePlan& plan)
    : barriers_(plan.barriers), track_(transport.track()), flags_(arena, transport) {
    const int me = transport.comm().rank();
    for (const std::int64_t size : plan.receive) {
        parts_.emplace_back(nullptr, size, transport.device().memory_kind());
    }
    if (arena.plans()) {
        return;
    }
    for (int reader = 0; reader < transport.comm().size(); ++reader) {
        auto offered = transport.of_all(plan.send[index(reader)]);
        if (reader == me) {
            parts_ = std::move(offered);
        } else if (!plan.send[index(reader)].empty()) {
            readers_.push_back(reader);
        }
    }
    for (int sender = 0; sender < transport.comm().size(); ++sender) {
        if (sender == me) {
            continue;
        }
        check(parts_[index(sender)].size() == plan.receive[index(sender)],
              "exchange: a part is of another size than its receiver expects");
        if (!parts_[index(sender)].empty()) {
            senders_.push_back(sender);
        }
    }
}

void InPlaceExchange::run(device::Stream& stream) {
    ++run_;
    if (barriers_.before) {
        return;
    }
    stream.synchronize();
    const Span span(track_, Phase::wait, "open");
    flags_.mine().written.set(run_);
    for (const int sender : senders_) {
        flags_.of(sender).written.await(run_);
    }
}

void InPlaceExchange::release(device::Stream& stream) {
    if (barriers_.after) {
        return;
    }
    stream.synchronize();
    const Span span(track_, Phase::wait, "close");
    flags_.mine().read.set(run_);
    for (const int reader : readers_) {
        flags_.of(reader).read.await(run_);
    }
}

/// A vector is one piece: additions read it in its sender's memory, and need no other memory.
class InPlacePieces final : public Pieces {
  public:
    InPlacePieces(const device::Arena& arena, Transport& transport, const PushPlan& plan)
        : senders_(plan.senders),
          receiver_(plan.receiver),
          track_(transport.track()),
          counts_(arena, transport),
          next_(plan.senders.size()) {
        if (arena.plans()) {
            return;
        }
        const auto all = transport.of_all(device::as_bytes(plan.source));
        for (const int sender : senders_) {
            sources_.push_back(all[index(sender)]);
        }
    }

    void send(int times, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::push, "post");
        done_ += times;
        counts_.mine().set(done_);
        counts_.of(receiver_).await(done_);
    }
    void begin(int times, device::Stream& /*stream*/) override {
        std::ranges::fill(next_, done_);
        done_ += times;
    }
    [[nodiscard]] View<const std::byte> take(std::size_t sender) override {
        const Span span(track_, Phase::wait, "post");
        counts_.of(senders_[sender]).await(next_[sender] + 1);
        return sources_[sender];
    }
    void used(std::size_t sender) override { ++next_[sender]; }
    void end(device::Stream& stream) override {
        stream.synchronize();
        counts_.mine().set(done_);
    }
    [[nodiscard]] Cut cut() const override { return {1, 1}; }

  private:
    std::vector<int> senders_;
    int receiver_;
    Track& track_;
    OfRanks<Line> counts_;  ///< pushes that a sender has offered or the receiver added
    std::vector<View<const std::byte>> sources_;
    std::vector<std::int64_t> next_;  ///< by sender: pushes used
    std::int64_t done_ = 0;
};

/// Payloads stay where they are: receivers read the senders' slots. A fence stands between the use
/// of this memory and the messages that announce it. On Arm, a load may take place after the
/// message that follows it: MPI orders what it sends itself, not other loads.
class InPlacePayloads final : public PayloadChannel {
  public:
    InPlacePayloads(device::Arena& arena, Transport& transport, const PayloadChannelPlan& plan)
        : largest_(plan.largest),
          spacing_(system::whole_pages(plan.largest.value, system::page_spacing)),
          stride_(plan.values == PayloadValues::same ? 0 : spacing_),
          memory_(transport.allocate(arena, {plan.outgoing_memories() * spacing_}, Place::host)),
          slots_(arena.plans() ? std::vector<View<const std::byte>>()
                               : transport.of_all(slots_of_this_rank())),
          incoming_(index(plan.incoming)) {}

    View<std::byte> outgoing(int slot) override {
        return slots_of_this_rank().part(slot * stride_, largest_.value);
    }
    PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        check_size(size);
        fence();
        return {size.value, slot};
    }
    void release(int /*slot*/) override { fence(); }
    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        check_size({descriptor.size});
        incoming_.at(index(slot)) =
            slots_.at(index(from)).part(descriptor.slot * stride_, descriptor.size);
    }
    View<const std::byte> contents(int slot) override {
        fence();
        return incoming_.at(index(slot));
    }
    void finish(int /*slot*/) override { fence(); }

  private:
    static void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
    void check_size(Bytes size) const {
        check(size <= largest_, "payload channel: a payload is larger than planned");
    }
    [[nodiscard]] View<std::byte> slots_of_this_rank() const {
        return {memory_.data.get(), memory_.size.value, memory_.kind};
    }

    Bytes largest_;
    std::int64_t spacing_;  ///< slots of different writers never share a page
    std::int64_t stride_;   ///< from one slot to the next
    device::Allocation memory_;
    std::vector<View<const std::byte>> slots_;  ///< by rank
    std::vector<View<const std::byte>> incoming_;
};

class InPlaceAllreduce final : public DeterministicAllreduce {
  public:
    InPlaceAllreduce(const device::Arena& arena, Transport& transport, int most)
        : shares_(arena, transport), sum_(shares_.mine(), shares_.all()) {
        check(most <= std::ssize(SharedShares::Line().values), "more sums than fit a cache line");
    }

    void run(std::span<double> values) override { sum_.run(values); }

  private:
    OfRanks<SharedShares> shares_;
    SharedSum sum_;
};

}  // namespace

std::unique_ptr<Exchange> make_in_place_exchange(device::Arena& arena, Transport& transport,
                                                 const ExchangePlan& plan) {
    return std::make_unique<InPlaceExchange>(arena, transport, plan);
}

std::unique_ptr<Pieces> make_in_place_pieces(device::Arena& arena, Transport& transport,
                                             const PushPlan& plan) {
    return std::make_unique<InPlacePieces>(arena, transport, plan);
}

std::unique_ptr<PayloadChannel> make_in_place_payloads(device::Arena& arena, Transport& transport,
                                                       const PayloadChannelPlan& plan) {
    return std::make_unique<InPlacePayloads>(arena, transport, plan);
}

void SharedSum::run(std::span<double> values) {
    const auto line = static_cast<std::size_t>(++sums_ % 2);
    SharedShares::Line& mine = mine_.lines[line];
    std::ranges::copy(values, mine.values.begin());
    mine.sum.store(sums_, std::memory_order_release);
    std::ranges::fill(values, 0.0);
    for (const SharedShares* shares : all_) {
        const SharedShares::Line& theirs = shares->lines[line];
        wait_until(theirs.sum, sums_);
        for (std::size_t index = 0; index < values.size(); ++index) {
            values[index] += theirs.values[index];
        }
    }
}

std::unique_ptr<DeterministicAllreduce> make_in_place_allreduce(const device::Arena& arena,
                                                                Transport& transport, int most) {
    return std::make_unique<InPlaceAllreduce>(arena, transport, most);
}

}  // namespace quartet::comm

#include <array>
#include <atomic>

#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

using device::View;

/// The memory of outgoing slots, which both kinds of channels have.
class SlotsOfSender : public PayloadChannel {
  public:
    View<std::byte> outgoing(int slot) final {
        check(slot >= 0 && slot < slots_, "payload channel: there is no such slot");
        return memory_.view().part(slot * stride_, largest_.value);
    }

  protected:
    /// Slots begin `spacing` bytes apart, except if all have the same values.
    SlotsOfSender(device::Arena& arena, Transport& transport, const PayloadChannelPlan& plan,
                  std::int64_t spacing)
        : slots_(plan.outgoing),
          largest_(plan.largest),
          stride_(plan.values == PayloadValues::same ? 0 : spacing),
          memory_(allocate<std::byte>(arena, transport,
                                      (stride_ > 0 ? slots_ : std::min(slots_, 1)) * spacing,
                                      Place::host)) {}

    void check_size(Bytes size) const {
        check(size <= largest_, "payload channel: a payload is larger than planned");
    }
    [[nodiscard]] std::int64_t stride() const { return stride_; }
    [[nodiscard]] View<const std::byte> memory() const { return memory_.view(); }

  private:
    int slots_;
    Bytes largest_;
    std::int64_t stride_;  ///< from one slot to the next
    device::Buffer<std::byte> memory_;
};

/// A stream for messages that wait for no work of a device.
class IdleStream final : public device::Stream {
  public:
    explicit IdleStream(Track& track) : track_(track) {}

    void enqueue(Phase /*phase*/, const char* /*label*/, device::Task task) override { task(); }
    void record(device::Event& /*event*/) override {}
    void wait(device::Event& event) override { event.synchronize(); }
    void synchronize() override {}
    Track& track() override { return track_; }

  private:
    Track& track_;
};

/// A payload is one message, or several if it is read in pieces. The last one is shorter than all
/// before it, and may be empty: ranks that disagree about the size therefore notice, instead of
/// waiting for a message that nobody sends. Each outgoing slot has a lane of its own: the next
/// slot's payload may be fetched before all of this one's has come.
class MessagePayloads final : public SlotsOfSender {
  public:
    MessagePayloads(device::Arena& arena, Transport& transport, const PayloadChannelPlan& plan)
        : SlotsOfSender(arena, transport, plan,
                        system::whole_pages(plan.largest.value, system::cache_line)),
          transport_(transport),
          whole_(plan.reading == PayloadReading::whole),
          stream_(transport.track()),
          sent_(index(plan.outgoing)),
          incoming_(index(plan.incoming)) {
        const Pieces pieces = pieces_of(plan.largest, transport);
        piece_ = pieces.cut.piece;
        under_way_ = whole_ ? 1 : pieces.under_way;
        stride_in_ = whole_ ? system::whole_pages(plan.largest.value, system::cache_line) : piece_;
        memory_in_ =
            arena.make<std::byte>(plan.incoming * under_way_ * stride_in_, memory().kind());
        arena.reserve({(transport.traits().copies - 1) * memory_in_.size()});
        if (arena.plans()) {
            return;
        }
        const auto slots = transport.comm().maximum(plan.outgoing);
        for (int slot = 0; slot < slots; ++slot) {
            lanes_.push_back(transport.new_lane(arena));
        }
    }

    PayloadDescriptor send(int slot, Bytes size, int to) override {
        check_size(size);
        const View<const std::byte> payload = outgoing(slot);
        pieces_.clear();
        for (std::int64_t piece = 0; piece < count(size.value); ++piece) {
            pieces_.push_back(
                {to, payload.part(piece * piece_, length(size.value, piece)), lanes_[index(slot)]});
        }
        sent_[index(slot)] = transport_.start(pieces_, {}, stream_);
        return {size.value, slot};
    }
    void release(int slot) override { transport_.wait(sent_.at(index(slot)), stream_); }

    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        check_size({descriptor.size});
        incoming_.at(index(slot)) = {from, lanes_.at(index(descriptor.slot)), descriptor.size};
        for (std::int64_t piece = 0; piece < under_way_; ++piece) {
            post(slot, piece);
        }
    }
    View<const std::byte> contents(int slot) override {
        check(whole_, "payload channel: it is read in pieces");
        return wait(slot, 0);
    }
    void read(int slot, const UsePiece& use) override {
        const std::int64_t pieces = count(incoming_.at(index(slot)).size);
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            if (const auto bytes = wait(slot, piece); !bytes.empty()) {
                use(piece * piece_, bytes);
            }
            post(slot, piece + under_way_);
        }
    }

  private:
    static constexpr std::size_t most_under_way = 4;

    struct Incoming {
        int from = 0;
        int lane = 0;
        std::int64_t size = 0;
        std::array<Ticket, most_under_way> tickets{};
    };

    /// The number of a payload's messages, and the size of one.
    [[nodiscard]] std::int64_t count(std::int64_t size) const {
        return whole_ ? 1 : size / piece_ + 1;
    }
    [[nodiscard]] std::int64_t length(std::int64_t size, std::int64_t piece) const {
        return whole_ ? size : std::min(piece_, size - piece * piece_);
    }
    View<std::byte> place(int slot, std::int64_t piece, std::int64_t size) {
        return memory_in_.view().part((slot * under_way_ + piece % under_way_) * stride_in_, size);
    }
    View<const std::byte> wait(int slot, std::int64_t piece) {
        const Span span(transport_.track(), Phase::exchange, "receive");
        Incoming& here = incoming_.at(index(slot));
        transport_.wait(here.tickets.at(index(piece % under_way_)), stream_);
        return place(slot, piece, length(here.size, piece));
    }
    void post(int slot, std::int64_t piece) {
        Incoming& here = incoming_.at(index(slot));
        if (piece < count(here.size)) {
            const comm::Incoming message{here.from, place(slot, piece, length(here.size, piece)),
                                         here.lane};
            here.tickets.at(index(piece % under_way_)) =
                transport_.start({}, {&message, 1}, stream_);
        }
    }

    Transport& transport_;
    bool whole_;
    std::int64_t piece_;
    std::int64_t under_way_;
    std::int64_t stride_in_;
    std::vector<int> lanes_;  ///< by outgoing slot, of all ranks
    IdleStream stream_;
    device::Buffer<std::byte> memory_in_;
    std::vector<Ticket> sent_;        ///< by outgoing slot
    std::vector<Incoming> incoming_;  ///< by incoming slot
    std::vector<Outgoing> pieces_;    ///< of one payload
};

/// Payloads stay where they are: receivers read the senders' slots. A fence stands between the use
/// of this memory and the messages that announce it. On Arm, a load may take place after the
/// message that follows it: MPI orders what it sends itself, not other loads.
class InPlacePayloads final : public SlotsOfSender {
  public:
    // Slots of different writers never share a page.
    InPlacePayloads(device::Arena& arena, Transport& transport, const PayloadChannelPlan& plan)
        : SlotsOfSender(arena, transport, plan,
                        system::whole_pages(plan.largest.value, system::page_spacing)),
          slots_(arena.plans() ? std::vector<View<const std::byte>>() : transport.of_all(memory())),
          incoming_(index(plan.incoming)) {}

    PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        check_size(size);
        fence();
        return {size.value, slot};
    }
    void release(int /*slot*/) override { fence(); }
    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        check_size({descriptor.size});
        incoming_.at(index(slot)) =
            slots_.at(index(from)).part(descriptor.slot * stride(), descriptor.size);
    }
    View<const std::byte> contents(int slot) override {
        fence();
        return incoming_.at(index(slot));
    }
    void finish(int /*slot*/) override { fence(); }

  private:
    static void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

    std::vector<View<const std::byte>> slots_;  ///< by rank
    std::vector<View<const std::byte>> incoming_;
};

}  // namespace

std::unique_ptr<PayloadChannel> Transport::prepare_payload_channel(device::Arena& arena,
                                                                   const PayloadChannelPlan& plan) {
    Transport& transport = for_payloads();
    if (transport.traits().receive == Receive::in_place) {
        return std::make_unique<InPlacePayloads>(arena, transport, plan);
    }
    return std::make_unique<MessagePayloads>(arena, transport, plan);
}

}  // namespace quartet::comm

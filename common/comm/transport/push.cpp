#include <algorithm>

#include "comm/transport/operations_internal.hpp"

namespace quartet::comm {

namespace {

using device::View;

// Messages that a sender offers, far more than a receiver has memory for. The receiver then finds
// its next one while the sender waits for its core: beside other processes that more than doubles
// the rate (stream/README.md).
constexpr std::size_t most_offered = 16;

/// For transports that copy.
class MessagePieces {
  public:
    MessagePieces(device::Arena& arena, Transport& transport, const PushPlan& plan)
        : transport_(transport),
          senders_(plan.senders),
          receiver_(plan.receiver),
          source_(device::as_bytes(plan.source)),
          lane_(transport.new_lane(arena)) {
        const bool receives = transport.comm().rank() == plan.receiver;
        const Pieces pieces =
            pieces_of(receives ? plan.target.bytes() : plan.source.bytes(), transport);
        cut_ = pieces.cut;
        under_way_ = pieces.under_way;
        if (!receives) {
            tickets_.resize(transport.settings().pipeline == Pipeline::on ? most_offered : 1);
            return;
        }
        tickets_.resize(senders_.size() * index(under_way_));
        next_.resize(senders_.size());
        staging_ = arena.make<std::byte>(cut_.size > 0 ? std::ssize(tickets_) * cut_.piece : 0);
        arena.reserve({(transport.traits().copies - 1) * staging_.size()}, staging_.view().kind());
    }

    void send(int times, device::Stream& stream) {
        const Span span(transport_.track(), Phase::push, "send");
        for (std::int64_t piece = 0; piece < times * cut_.count(); ++piece) {
            Ticket& ticket = tickets_[index(piece) % tickets_.size()];
            transport_.wait(ticket, stream);
            const Outgoing message{receiver_, source_.part(cut_.first(piece), cut_.length(piece)),
                                   lane_};
            ticket = transport_.start({&message, 1}, {}, stream);
        }
        for (Ticket& ticket : tickets_) {
            transport_.wait(ticket, stream);
        }
    }
    void begin(int times, device::Stream& stream) {
        total_ = times * cut_.count();
        std::ranges::fill(next_, 0);
        for (std::int64_t piece = 0; piece < std::min(under_way_, total_); ++piece) {
            for (std::size_t sender = 0; sender < senders_.size(); ++sender) {
                post(sender, piece, stream);
            }
        }
    }
    [[nodiscard]] View<const std::byte> take(std::size_t sender, device::Stream& stream) {
        const Span span(transport_.track(), Phase::exchange, "receive");
        const std::int64_t piece = next_[sender];
        transport_.wait(ticket(sender, piece), stream);
        return place(sender, piece);
    }
    void used(std::size_t sender, device::Stream& stream) {
        const std::int64_t piece = next_[sender]++;
        if (piece + under_way_ < total_) {
            post(sender, piece + under_way_, stream);
        }
    }
    void end(device::Stream& stream) { stream.synchronize(); }
    [[nodiscard]] Cut cut() const { return cut_; }

  private:
    Ticket& ticket(std::size_t sender, std::int64_t piece) {
        return tickets_[sender * index(under_way_) + index(piece % under_way_)];
    }
    View<std::byte> place(std::size_t sender, std::int64_t piece) {
        const auto slot = static_cast<std::int64_t>(sender) * under_way_ + piece % under_way_;
        return staging_.view().part(slot * cut_.piece, cut_.length(piece));
    }
    void post(std::size_t sender, std::int64_t piece, device::Stream& stream) {
        const Incoming message{senders_[sender], place(sender, piece), lane_};
        ticket(sender, piece) = transport_.start({}, {&message, 1}, stream);
    }

    Transport& transport_;
    std::vector<int> senders_;
    int receiver_;
    View<const std::byte> source_;
    int lane_;
    Cut cut_;
    std::int64_t under_way_;
    device::Buffer<std::byte> staging_;  ///< a receiver's: `under_way_` pieces for each sender
    std::vector<Ticket> tickets_;        ///< a receiver's likewise; a sender's: its last messages
    std::vector<std::int64_t> next_;     ///< by sender: pieces used
    std::int64_t total_ = 0;
};

/// For transports that read in place. A vector is one piece: additions read it in its sender's
/// memory, and need no other memory.
class InPlacePieces {
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

    void send(int times, device::Stream& stream) {
        stream.synchronize();
        const Span span(track_, Phase::push, "post");
        done_ += times;
        counts_.mine().set(done_);
        counts_.of(receiver_).await(done_);
    }
    void begin(int times, device::Stream& /*stream*/) {
        std::ranges::fill(next_, done_);
        done_ += times;
    }
    [[nodiscard]] View<const std::byte> take(std::size_t sender, device::Stream& /*stream*/) {
        const Span span(track_, Phase::wait, "post");
        counts_.of(senders_[sender]).await(next_[sender] + 1);
        return sources_[sender];
    }
    void used(std::size_t sender, device::Stream& /*stream*/) { ++next_[sender]; }
    void end(device::Stream& stream) {
        stream.synchronize();
        counts_.mine().set(done_);
    }
    [[nodiscard]] Cut cut() const { return {1, 1}; }

  private:
    std::vector<int> senders_;
    int receiver_;
    Track& track_;
    OfRanks<Line> counts_;  ///< pushes that a sender has offered or the receiver added
    std::vector<View<const std::byte>> sources_;
    std::vector<std::int64_t> next_;  ///< by sender: pushes used
    std::int64_t done_ = 0;
};

/// The transport adds the vectors of all senders at the same time.
class PushByTransport final : public Push {
  public:
    PushByTransport(const device::Arena& arena, Transport& transport, const PushPlan& plan)
        : transport_(transport) {
        const int lane = transport.new_lane(arena);
        if (plan.sends(transport.comm().rank()) && !plan.source.empty()) {
            outgoing_.push_back({plan.receiver, device::as_bytes(plan.source), lane});
        }
        if (transport.comm().rank() == plan.receiver && !plan.target.empty()) {
            for (const int sender : plan.senders) {
                incoming_.push_back({sender, device::as_bytes(plan.target), lane});
            }
        }
    }

    void run(int count, device::Stream& stream) override {
        if (count == 0) {
            return;
        }
        const Span span(transport_.track(), outgoing_.empty() ? Phase::wait : Phase::push,
                        "accumulate");
        for (Outgoing& one : outgoing_) {
            one.additions = count;
        }
        for (Incoming& one : incoming_) {
            one.additions = count;
        }
        Ticket ticket = transport_.start(outgoing_, incoming_, stream);
        transport_.wait(ticket, stream);
    }

  private:
    Transport& transport_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
};

}  // namespace

std::unique_ptr<Push> Transport::prepare_push(device::Arena& arena, const PushPlan& plan) {
    if (traits().additions == Additions::by_transport) {
        return std::make_unique<PushByTransport>(arena, *this, plan);
    }
    if (traits().receive == Receive::in_place) {
        return std::make_unique<PushByReceiver<InPlacePieces>>(arena, *this, plan);
    }
    return std::make_unique<PushByReceiver<MessagePieces>>(arena, *this, plan);
}

}  // namespace quartet::comm

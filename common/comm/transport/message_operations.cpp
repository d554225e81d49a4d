#include <array>
#include <numeric>

#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "system/memory/page.hpp"

// Operations of transports that copy: they use start() and wait().
namespace quartet::comm {

namespace {

using device::View;

class MessageExchange final : public Exchange {
  public:
    MessageExchange(device::Arena& arena, Transport& transport, const ExchangePlan& plan);

    void run(device::Stream& stream) override {
        const Span span(transport_.track(), Phase::exchange, "messages");
        Ticket ticket = transport_.start(outgoing_, incoming_, stream);
        transport_.wait(ticket, stream);
    }
    [[nodiscard]] std::span<const View<const std::byte>> parts() const override { return parts_; }
    void release(device::Stream& /*stream*/) override {}  // start() comes after the stream's work

  private:
    Transport& transport_;
    device::Buffer<std::byte> received_;
    std::vector<Outgoing> outgoing_;
    std::vector<Incoming> incoming_;
    std::vector<View<const std::byte>> parts_;
};

MessageExchange::MessageExchange(device::Arena& arena, Transport& transport,
                                 const ExchangePlan& plan)
    : transport_(transport) {
    const Communicator& comm = transport.comm();
    const int lane = transport.new_lane(arena);
    std::vector<std::int64_t> sizes = plan.receive;
    sizes[index(comm.rank())] = 0;
    const std::int64_t total =
        plan.land.empty() ? std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) : 0;
    received_ = arena.make<std::byte>(total);
    arena.reserve({(transport.traits().copies - 1) * total}, received_.view().kind());
    std::int64_t next = 0;
    for (int step = 0; step < comm.size(); ++step) {  // so that not all send to one rank at a time
        const int to = (comm.rank() + step) % comm.size();
        if (const auto& part = plan.send[index(to)]; to != comm.rank() && !part.empty()) {
            outgoing_.push_back({to, part, lane});
        }
    }
    for (int from = 0; from < comm.size(); ++from) {
        const std::int64_t size = sizes[index(from)];
        if (from == comm.rank()) {
            parts_.push_back(plan.send[index(from)]);
            continue;
        }
        View<std::byte> place;
        if (!plan.land.empty()) {
            place = plan.land[index(from)];
        } else {
            place = received_.view().part(next, size);
            next += size;
        }
        check(place.size() == size, "exchange: a part is of another size than its place");
        parts_.emplace_back(place);
        if (size > 0) {
            incoming_.push_back({from, place, lane});
        }
    }
}

class MessagePieces final : public Pieces {
  public:
    MessagePieces(device::Arena& arena, Transport& transport, const PushPlan& plan);

    void send(int times, device::Stream& stream) override;
    void begin(int times, device::Stream& stream) override;
    [[nodiscard]] View<const std::byte> take(std::size_t sender) override;
    void used(std::size_t sender) override;
    void end(device::Stream& stream) override;
    [[nodiscard]] Cut cut() const override { return cut_; }

  private:
    Ticket& ticket(std::size_t sender, std::int64_t piece) {
        return tickets_[sender * index(under_way_) + index(piece % under_way_)];
    }
    View<std::byte> place(std::size_t sender, std::int64_t piece) {
        const auto slot = static_cast<std::int64_t>(sender) * under_way_ + piece % under_way_;
        return staging_.view().part(slot * cut_.piece, cut_.length(piece));
    }
    void post(std::size_t sender, std::int64_t piece) {
        const Incoming message{senders_[sender], place(sender, piece), lane_};
        ticket(sender, piece) = transport_.start({}, {&message, 1}, *stream_);
    }

    Transport& transport_;
    std::vector<int> senders_;
    int receiver_;
    View<const std::byte> source_;
    int lane_;
    int acknowledgements_;
    Cut cut_;
    std::int64_t under_way_;
    device::Buffer<std::byte> staging_;  ///< a receiver's: `under_way_` pieces for each sender
    std::vector<Ticket> tickets_;        ///< a receiver's likewise; a sender's: its last messages
    std::vector<std::int64_t> next_;     ///< by sender: pieces used
    std::int64_t total_ = 0;
    device::Stream* stream_ = nullptr;
};

// Messages that a sender offers, far more than a receiver has memory for. The receiver then finds
// its next one while the sender waits for its core: beside other processes that more than doubles
// the rate (stream/README.md).
constexpr std::size_t most_offered = 16;

MessagePieces::MessagePieces(device::Arena& arena, Transport& transport, const PushPlan& plan)
    : transport_(transport),
      senders_(plan.senders),
      receiver_(plan.receiver),
      source_(device::as_bytes(plan.source)),
      lane_(transport.new_lane(arena)),
      acknowledgements_(transport.new_lane(arena)) {
    const bool receives = transport.comm().rank() == plan.receiver;
    const Bytes vector = receives ? plan.target.bytes() : plan.source.bytes();
    const PieceSettings pieces = pieces_of(vector, transport.traits(), transport.settings());
    cut_ = {vector.value, pieces.piece.value};
    under_way_ = pieces.under_way;
    if (!receives) {
        tickets_.resize(transport.settings().pipeline == Pipeline::on ? most_offered : 1);
        return;
    }
    tickets_.resize(senders_.size() * index(under_way_));
    next_.resize(senders_.size());
    staging_ = arena.make<std::byte>(vector.value > 0 ? std::ssize(tickets_) * cut_.piece : 0);
    arena.reserve({(transport.traits().copies - 1) * staging_.size()}, staging_.view().kind());
}

void MessagePieces::send(int times, device::Stream& stream) {
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
    await_acknowledgement(receiver_, acknowledgements_, transport_.comm());
}

void MessagePieces::begin(int times, device::Stream& stream) {
    stream_ = &stream;
    total_ = times * cut_.count();
    std::ranges::fill(next_, 0);
    for (std::int64_t piece = 0; piece < std::min(under_way_, total_); ++piece) {
        for (std::size_t sender = 0; sender < senders_.size(); ++sender) {
            post(sender, piece);
        }
    }
}

View<const std::byte> MessagePieces::take(std::size_t sender) {
    const Span span(transport_.track(), Phase::exchange, "receive");
    const std::int64_t piece = next_[sender];
    transport_.wait(ticket(sender, piece), *stream_);
    return place(sender, piece);
}

void MessagePieces::used(std::size_t sender) {
    const std::int64_t piece = next_[sender]++;
    if (piece + under_way_ < total_) {
        post(sender, piece + under_way_);
    }
}

void MessagePieces::end(device::Stream& stream) {
    stream.synchronize();
    for (const int sender : senders_) {
        acknowledge(sender, acknowledgements_, transport_.comm());
    }
}

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
class MessagePayloads final : public PayloadChannel {
  public:
    MessagePayloads(device::Arena& arena, Transport& transport, const PayloadChannelPlan& plan);

    View<std::byte> outgoing(int slot) override;
    PayloadDescriptor send(int slot, Bytes size, int to) override;
    void release(int slot) override { transport_.wait(sent_.at(index(slot)), stream_); }

    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override;
    View<const std::byte> contents(int slot) override;
    void read(int slot, const UsePiece& use) override;

  private:
    static constexpr std::size_t most_under_way = 4;

    struct Incoming {
        int from = 0;
        int lane = 0;
        std::int64_t size = 0;
        std::array<Ticket, most_under_way> tickets{};
    };

    void check_size(Bytes size) const {
        check(size <= largest_, "payload channel: a payload is larger than planned");
    }
    /// The number of a payload's messages, and the size of one.
    [[nodiscard]] std::int64_t count(std::int64_t size) const {
        return reading_ == PayloadReading::whole ? 1 : size / piece_ + 1;
    }
    [[nodiscard]] std::int64_t length(std::int64_t size, std::int64_t piece) const {
        return reading_ == PayloadReading::whole ? size : std::min(piece_, size - piece * piece_);
    }
    View<std::byte> place(int slot, std::int64_t piece, std::int64_t size) {
        return memory_in_.view().part((slot * under_way_ + piece % under_way_) * stride_in_, size);
    }
    View<const std::byte> wait(int slot, std::int64_t piece);
    void post(int slot, std::int64_t piece);

    Transport& transport_;
    PayloadReading reading_;
    Bytes largest_;
    std::int64_t piece_;
    std::int64_t under_way_;
    std::int64_t stride_out_;
    std::int64_t stride_in_;
    std::vector<int> lanes_;  ///< by outgoing slot, of all ranks
    IdleStream stream_;
    device::Allocation memory_out_;
    device::Buffer<std::byte> memory_in_;
    std::vector<Ticket> sent_;        ///< by outgoing slot
    std::vector<Incoming> incoming_;  ///< by incoming slot
    std::vector<Outgoing> pieces_;    ///< of one payload
};

MessagePayloads::MessagePayloads(device::Arena& arena, Transport& transport,
                                 const PayloadChannelPlan& plan)
    : transport_(transport),
      reading_(plan.reading),
      largest_(plan.largest),
      stream_(transport.track()),
      sent_(index(plan.outgoing)),
      incoming_(index(plan.incoming)) {
    const bool whole = plan.reading == PayloadReading::whole;
    const PieceSettings pieces = pieces_of(plan.largest, transport.traits(), transport.settings());
    const std::int64_t line = system::whole_pages(plan.largest.value, system::cache_line);
    piece_ = pieces.piece.value;
    under_way_ = whole ? 1 : pieces.under_way;
    stride_out_ = plan.values == PayloadValues::same ? 0 : line;
    stride_in_ = whole ? line : piece_;
    memory_out_ = transport.allocate(arena, {plan.outgoing_memories() * line}, Place::host);
    memory_in_ = arena.make<std::byte>(plan.incoming * under_way_ * stride_in_, memory_out_.kind);
    arena.reserve({(transport.traits().copies - 1) * memory_in_.size()});
    if (arena.plans()) {
        return;
    }
    const auto slots = transport.comm().maximum(plan.outgoing);
    for (int slot = 0; slot < slots; ++slot) {
        lanes_.push_back(transport.new_lane(arena));
    }
}

View<std::byte> MessagePayloads::outgoing(int slot) {
    check(slot >= 0 && slot < std::ssize(sent_), "payload channel: there is no such slot");
    return View<std::byte>(memory_out_.data.get(), memory_out_.size.value, memory_out_.kind)
        .part(slot * stride_out_, largest_.value);
}

PayloadDescriptor MessagePayloads::send(int slot, Bytes size, int to) {
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

void MessagePayloads::fetch(int slot, int from, const PayloadDescriptor& descriptor) {
    check_size({descriptor.size});
    Incoming& here = incoming_.at(index(slot));
    here = {from, lanes_.at(index(descriptor.slot)), descriptor.size};
    for (std::int64_t piece = 0; piece < under_way_; ++piece) {
        post(slot, piece);
    }
}

View<const std::byte> MessagePayloads::contents(int slot) {
    check(reading_ == PayloadReading::whole, "payload channel: it is read in pieces");
    return wait(slot, 0);
}

void MessagePayloads::read(int slot, const UsePiece& use) {
    const std::int64_t pieces = count(incoming_.at(index(slot)).size);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
        if (const auto bytes = wait(slot, piece); !bytes.empty()) {
            use(piece * piece_, bytes);
        }
        post(slot, piece + under_way_);
    }
}

View<const std::byte> MessagePayloads::wait(int slot, std::int64_t piece) {
    const Span span(transport_.track(), Phase::exchange, "receive");
    Incoming& here = incoming_.at(index(slot));
    transport_.wait(here.tickets.at(index(piece % under_way_)), stream_);
    return place(slot, piece, length(here.size, piece));
}

void MessagePayloads::post(int slot, std::int64_t piece) {
    Incoming& here = incoming_.at(index(slot));
    if (piece < count(here.size)) {
        const comm::Incoming message{here.from, place(slot, piece, length(here.size, piece)),
                                     here.lane};
        here.tickets.at(index(piece % under_way_)) = transport_.start({}, {&message, 1}, stream_);
    }
}

}  // namespace

void acknowledge(int to, int lane, const Communicator& comm) {
    check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, to, lane, comm.handle()));
}

void await_acknowledgement(int from, int lane, const Communicator& comm) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, from, lane, comm.handle(), MPI_STATUS_IGNORE));
}

std::unique_ptr<Exchange> make_message_exchange(device::Arena& arena, Transport& transport,
                                                const ExchangePlan& plan) {
    return std::make_unique<MessageExchange>(arena, transport, plan);
}

std::unique_ptr<Pieces> make_message_pieces(device::Arena& arena, Transport& transport,
                                            const PushPlan& plan) {
    return std::make_unique<MessagePieces>(arena, transport, plan);
}

std::unique_ptr<PayloadChannel> make_message_payloads(device::Arena& arena, Transport& transport,
                                                      const PayloadChannelPlan& plan) {
    return std::make_unique<MessagePayloads>(arena, transport, plan);
}

}  // namespace quartet::comm

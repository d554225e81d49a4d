#include "comm/transport/mpi/mpi_payload_channel.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/mpi/incoming_pieces.hpp"

namespace quartet::comm {

namespace {

PieceSettings channel_pieces(const PayloadChannelPlan& plan, const TransportSettings& settings) {
    return plan.reading == PayloadReading::whole ? PieceSettings{plan.largest, 1}
                                                 : pieces_of(plan.largest, settings);
}

/// Cuts a payload into messages. The last one is shorter than all before it, and may be empty.
/// Ranks that disagree about the size therefore notice, instead of waiting for a message that
/// nobody sends.
class Cut {
  public:
    Cut() = default;
    /// A payload that is read whole is one message.
    Cut(Bytes payload, const PieceSettings& pieces, PayloadReading reading)
        : payload_(payload.value),
          piece_(reading == PayloadReading::whole ? payload.value + 1 : pieces.piece.value) {}

    [[nodiscard]] std::int64_t count() const { return payload_ / piece_ + 1; }
    [[nodiscard]] std::int64_t first(std::int64_t message) const { return message * piece_; }
    [[nodiscard]] Bytes size(std::int64_t message) const {
        return {std::min(piece_, payload_ - first(message))};
    }

  private:
    std::int64_t payload_ = 0;
    std::int64_t piece_ = 1;
};

struct Incoming {
    IncomingPieces pieces;
    int from = 0;
    int tag = 0;
    Cut cut{};
};

class MpiPayloadChannel final : public PayloadChannel {
  public:
    MpiPayloadChannel(const PayloadChannelPlan& plan, const Communicator& comm,
                      device::Device& device, Track& track, const TransportSettings& settings)
        : comm_(comm.duplicate()),
          largest_(plan.largest),
          reading_(plan.reading),
          pieces_(channel_pieces(plan, settings)),
          outgoing_(static_cast<std::size_t>(plan.outgoing)) {
        check(pieces_.piece.value <= INT_MAX,
              "payload channel: a payload is larger than MPI counts");
        const device::MemoryKind kind =
            device::has_own_memory(device) ? device::MemoryKind::pinned : device::MemoryKind::host;
        const auto messages = static_cast<std::size_t>(cut(largest_).count());
        for (int slot = 0; slot < plan.outgoing_memories(); ++slot) {
            memory_.push_back(device::allocate<std::byte>(device, largest_.value, kind));
        }
        for (auto& requests : outgoing_) {
            requests.reserve(messages);
        }
        incoming_.reserve(static_cast<std::size_t>(plan.incoming));
        for (int slot = 0; slot < plan.incoming; ++slot) {
            incoming_.push_back({IncomingPieces(comm_, device, track, kind, pieces_)});
        }
    }

    device::View<std::byte> outgoing(int index) override {
        check(index >= 0 && index < std::ssize(outgoing_),
              "payload channel: there is no such slot");
        return memory_[std::min(static_cast<std::size_t>(index), memory_.size() - 1)].view();
    }

    // A slot's payloads have a tag of their own: the next slot's may be fetched before all of this
    // one's has come.
    PayloadDescriptor send(int index, Bytes size, int to) override {
        check(size <= largest_, "payload channel: a payload is larger than planned");
        const auto payload = outgoing(index);
        auto& requests = outgoing_[static_cast<std::size_t>(index)];
        const Cut messages = cut(size);
        requests.assign(static_cast<std::size_t>(messages.count()), MPI_REQUEST_NULL);
        for (std::int64_t message = 0; message < messages.count(); ++message) {
            check_mpi(MPI_Isend(payload.data() + messages.first(message),
                                static_cast<int>(messages.size(message).value), MPI_BYTE, to, index,
                                comm_.handle(), &requests[static_cast<std::size_t>(message)]));
        }
        return {size.value, index};
    }

    // The receiver has it: the requests are complete, or about to be.
    void release(int index) override {
        auto& requests = outgoing_.at(static_cast<std::size_t>(index));
        check_mpi(
            MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    }

    void fetch(int index, int from, const PayloadDescriptor& descriptor) override {
        check(Bytes{descriptor.size} <= largest_,
              "payload channel: a payload is larger than planned");
        Incoming& slot = incoming_.at(static_cast<std::size_t>(index));
        slot.from = from;
        slot.tag = static_cast<int>(descriptor.slot);
        slot.cut = cut({descriptor.size});
        for (std::int64_t message = 0; message < slot.pieces.under_way(); ++message) {
            post(slot, message);
        }
    }

    device::View<const std::byte> contents(int index) override {
        check(reading_ == PayloadReading::whole, "payload channel: it is read in pieces");
        return incoming_.at(static_cast<std::size_t>(index)).pieces.wait(0);
    }

    void read(int index, const UsePiece& use) override {
        if (reading_ == PayloadReading::whole) {
            PayloadChannel::read(index, use);
            return;
        }
        Incoming& slot = incoming_.at(static_cast<std::size_t>(index));
        for (std::int64_t message = 0; message < slot.cut.count(); ++message) {
            slot.pieces.use(message, [&](std::int64_t first, const auto& part) {
                use(slot.cut.first(message) + first, part);
            });
            post(slot, message + slot.pieces.under_way());
        }
    }

  private:
    [[nodiscard]] Cut cut(Bytes payload) const { return {payload, pieces_, reading_}; }

    static void post(Incoming& slot, std::int64_t message) {
        if (message < slot.cut.count()) {
            slot.pieces.post(message, slot.cut.size(message), slot.from, slot.tag);
        }
    }

    Communicator comm_;
    Bytes largest_;
    PayloadReading reading_;
    PieceSettings pieces_;
    std::vector<device::Buffer<std::byte>> memory_;   ///< of outgoing slots, or of all of them
    std::vector<std::vector<MPI_Request>> outgoing_;  ///< messages under way, by slot
    std::vector<Incoming> incoming_;
};

}  // namespace

PayloadMemory mpi_payload_memory(const PayloadChannelPlan& plan,
                                 const TransportSettings& settings) {
    return {.host = plan.outgoing_memories() * plan.largest +
                    plan.incoming * channel_pieces(plan, settings).memory()};
}

std::unique_ptr<PayloadChannel> make_mpi_payload_channel(const PayloadChannelPlan& plan,
                                                         const Communicator& comm,
                                                         device::Device& device, Track& track,
                                                         const TransportSettings& settings) {
    return std::make_unique<MpiPayloadChannel>(plan, comm, device, track, settings);
}

}  // namespace quartet::comm

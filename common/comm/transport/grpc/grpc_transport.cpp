#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/mpi/agree.hpp"
#include "comm/mpi/control_channel.hpp"
#include "comm/transport/grpc/grpc_address.hpp"
#include "comm/transport/grpc/grpc_fetch.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/transport_kind.hpp"
#include "core/check.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

/// One rank's part in a transfer between ranks: it offers bytes, and fetches those that others
/// offer. MPI spreads addresses and tokens.
class GrpcLink {
  public:
    /// `host`: where this rank listens; `offer`: empty if it offers nothing. Collective; throws
    /// Failure, on all ranks alike, if one cannot listen.
    GrpcLink(const Communicator& comm, const std::string& host, GrpcServer::Offer offer,
             Bytes largest);

    /// The client of a rank that offers data, connected at the first call. Throws Failure if the
    /// rank cannot be reached. Local.
    GrpcClient& to(int rank);

  private:
    Bytes largest_;
    std::unique_ptr<GrpcServer> server_;  ///< where something is offered
    std::vector<std::string> addresses_;  ///< by rank
    std::vector<std::string> tokens_;     ///< by rank
    std::map<int, GrpcClient> clients_;   ///< by rank
};

GrpcLink::GrpcLink(const Communicator& comm, const std::string& host, GrpcServer::Offer offer,
                   Bytes largest)
    : largest_(largest) {
    agree(comm, [&] {
        if (offer) {
            server_ = std::make_unique<GrpcServer>(host, std::move(offer));
        }
    });
    addresses_ = comm.gather(server_ ? server_->address() : "");
    tokens_ = comm.gather(server_ ? server_->token() : "");
}

GrpcClient& GrpcLink::to(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    return clients_.try_emplace(rank, addresses_.at(index), tokens_.at(index), largest_)
        .first->second;
}

constexpr int readable = 0;  // what a sender says of its vector
constexpr int added = 1;     // what the receiver says when it needs it no more

/// The receiver fetches the chunks of each sender's vector, a few at a time, and adds them. gRPC
/// copies and allocates as it goes: that is what is measured.
class GrpcPush final : public Push {
  public:
    GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
             const std::string& host, Track& track);

    void run(int count, device::Stream& stream) override;

  private:
    /// The memory in which chunks of one sender arrive in turn.
    struct Incoming {
        GrpcClient* client = nullptr;
        std::vector<device::Buffer<float>> memory;
        std::vector<std::unique_ptr<GrpcFetch>> fetches{};
    };

    GrpcServer::Offer offer();
    void await(int kind);
    void receive_all(std::int64_t count, device::Stream& stream);
    device::View<float> fetched(Incoming& sender, std::int64_t chunk) const;
    void start(Incoming& sender, std::int64_t chunk) const;

    PushPlan plan_;
    device::Device& device_;
    Track& track_;
    Chunks chunks_;
    int depth_;
    ControlChannel control_;
    std::atomic<bool> is_readable_ = false;  ///< a sender's vector
    GrpcLink link_;
    std::vector<Incoming> incoming_;  ///< by sender, on the receiver
};

GrpcPush::GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
                   const std::string& host, Track& track)
    : plan_(plan),
      device_(context.device),
      track_(track),
      chunks_(grpc_chunks(comm.rank() == plan.receiver ? plan.target.bytes() : plan.source.bytes(),
                          context.settings)),
      depth_(grpc_push_depth(context.settings)),
      control_(comm),
      link_(comm, host, plan.sends(comm.rank()) ? offer() : nullptr, chunks_.largest()) {
    agree(comm, [&] {
        if (comm.rank() != plan_.receiver) {
            return;
        }
        const std::int64_t elements = chunks_.largest().value / bytes_of<float>(1).value;
        for (const int sender : plan_.senders) {
            Incoming& incoming = incoming_.emplace_back(&link_.to(sender));
            incoming.fetches.resize(static_cast<std::size_t>(depth_));
            for (int turn = 0; turn < depth_; ++turn) {
                incoming.memory.push_back(
                    device::allocate<float>(device_, elements, device::MemoryKind::host));
            }
        }
    });
}

GrpcServer::Offer GrpcPush::offer() {
    return [this](const GrpcRequest& request) -> std::optional<device::View<const std::byte>> {
        if (!is_readable_ || request.item < 0 || request.item >= chunks_.count() ||
            request.size != chunks_.size(request.item).value) {
            return std::nullopt;
        }
        return device::as_bytes(plan_.source).part(chunks_.first(request.item), request.size);
    };
}

void GrpcPush::run(int count, device::Stream& stream) {
    if (chunks_.count() == 0 || count == 0) {
        return;
    }
    if (!incoming_.empty()) {
        receive_all(count * chunks_.count(), stream);
    } else if (!plan_.source.empty()) {
        stream.synchronize();
        is_readable_ = true;
        control_.send(plan_.receiver, readable);
        const Span span(track_, Phase::push, "send");
        await(added);
        is_readable_ = false;
    }
}

// The core is gRPC's meanwhile.
void GrpcPush::await(int kind) {
    for (auto message = control_.poll(); !message || message->kind != kind;
         message = control_.poll()) {
        std::this_thread::yield();
    }
}

void GrpcPush::receive_all(std::int64_t count, device::Stream& stream) {
    for (std::size_t sender = 0; sender < incoming_.size(); ++sender) {
        await(readable);
    }
    for (std::int64_t chunk = 0; chunk < std::min<std::int64_t>(depth_, count); ++chunk) {
        for (Incoming& sender : incoming_) {
            start(sender, chunk);
        }
    }
    for (std::int64_t chunk = 0; chunk < count; ++chunk) {
        const std::int64_t first = chunks_.first(chunk) / static_cast<std::int64_t>(sizeof(float));
        for (Incoming& sender : incoming_) {
            const device::View<float> elements = fetched(sender, chunk);
            device_.vectors().add(elements, plan_.target.part(first, elements.size()), stream);
            stream.synchronize();
            if (chunk + depth_ < count) {
                start(sender, chunk + depth_);
            }
        }
    }
    for (const int sender : plan_.senders) {
        control_.send(sender, added);
    }
}

// Waits for a chunk of that sender.
device::View<float> GrpcPush::fetched(Incoming& sender, std::int64_t chunk) const {
    const auto turn = static_cast<std::size_t>(chunk % depth_);
    const Span span(track_, Phase::exchange, "receive");
    sender.fetches[turn]->wait();
    return sender.memory[turn].view().part(
        0, chunks_.size(chunk).value / static_cast<std::int64_t>(sizeof(float)));
}

void GrpcPush::start(Incoming& sender, std::int64_t chunk) const {
    const auto turn = static_cast<std::size_t>(chunk % depth_);
    sender.fetches[turn] = sender.client->fetch(
        chunk % chunks_.count(),
        device::as_bytes(sender.memory[turn].view()).part(0, chunks_.size(chunk).value));
}

constexpr std::int64_t not_sent = -1;

/// A payload for the receiver to fetch. The server's thread reads it: the size, written last,
/// orders what was written before.
struct OfferedPayload {
    device::Buffer<std::byte> memory;
    std::atomic<std::int64_t> size{not_sent};
};

struct FetchedPayload {
    device::Buffer<std::byte> memory;
    std::int64_t size = 0;
};

/// Payloads that their receivers fetch by gRPC, as the paper's TensorFlow does (VI.A): a call for
/// each, answered from the sender's slot.
class GrpcPayloadChannel final : public PayloadChannel {
  public:
    GrpcPayloadChannel(const PayloadChannelPlan& plan, const Communicator& comm,
                       device::Device& device, const std::string& host, Track& track)
        : largest_(plan.largest),
          track_(track),
          outgoing_(allocated<OfferedPayload>(plan.outgoing, device)),
          incoming_(allocated<FetchedPayload>(plan.incoming, device)),
          link_(comm, host, plan.outgoing > 0 ? offer() : nullptr, plan.largest),
          fetches_(incoming_.size()) {}

    device::View<std::byte> outgoing(int slot) override {
        return outgoing_.at(static_cast<std::size_t>(slot)).memory.view();
    }

    PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        check(size <= largest_, "payload channel: a payload is larger than planned");
        outgoing_.at(static_cast<std::size_t>(slot)).size = size.value;
        return {size.value, slot};
    }

    void release(int slot) override {
        outgoing_.at(static_cast<std::size_t>(slot)).size = not_sent;
    }

    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        FetchedPayload& payload = incoming_.at(static_cast<std::size_t>(slot));
        payload.size = descriptor.size;
        fetches_[static_cast<std::size_t>(slot)] =
            link_.to(from).fetch(descriptor.slot, payload.memory.view().part(0, descriptor.size));
    }

    device::View<const std::byte> contents(int slot) override {
        FetchedPayload& payload = incoming_.at(static_cast<std::size_t>(slot));
        const Span span(track_, Phase::exchange, "receive");
        fetches_[static_cast<std::size_t>(slot)]->wait();
        return payload.memory.view().part(0, payload.size);
    }

  private:
    template <typename Payload>
    [[nodiscard]] std::vector<Payload> allocated(int count, device::Device& device) const {
        std::vector<Payload> payloads(static_cast<std::size_t>(count));
        for (Payload& payload : payloads) {
            payload.memory =
                device::allocate<std::byte>(device, largest_.value, device::MemoryKind::host);
        }
        return payloads;
    }

    GrpcServer::Offer offer() {
        return [this](const GrpcRequest& request) -> std::optional<device::View<const std::byte>> {
            if (request.item < 0 || request.item >= std::ssize(outgoing_)) {
                return std::nullopt;
            }
            OfferedPayload& payload = outgoing_[static_cast<std::size_t>(request.item)];
            if (request.size < 0 || request.size != payload.size) {
                return std::nullopt;
            }
            return payload.memory.view().part(0, request.size);
        };
    }

    Bytes largest_;
    Track& track_;
    std::vector<OfferedPayload> outgoing_;
    std::vector<FetchedPayload> incoming_;
    GrpcLink link_;                                    ///< gone before the memory that it offers
    std::vector<std::unique_ptr<GrpcFetch>> fetches_;  ///< by slot; given up before the link goes
};

/// Pushes and payloads by gRPC, one of the paper's three protocols (VI.A). It listens on the
/// loopback device within a node, on a private network between nodes, or where QUARTET_GRPC_ADDRESS
/// says.
class GrpcTransport final : public Transport {
  public:
    explicit GrpcTransport(const TransportContext& context)
        : context_(context),
          comm_(context.world.duplicate()),
          track_(context.trace.track("grpc")),
          address_(*grpc_address(context.topology)) {}

    [[nodiscard]] const TransportTraits& traits() const override { return grpc_traits; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("without encryption, over {}", address_);
    }

    device::Allocation allocate(Bytes size) override {
        return context_.device.allocate(size, device::MemoryKind::host);
    }
    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<GrpcPush>(plan, context_, comm_, address_, track_);
    }
    std::unique_ptr<PayloadChannel> prepare_payload_channel(
        const PayloadChannelPlan& plan) override {
        return std::make_unique<GrpcPayloadChannel>(plan, comm_, context_.device, address_, track_);
    }

  private:
    TransportContext context_;
    Communicator comm_;
    Track& track_;
    std::string address_;
};

std::optional<std::string> why_no_grpc(const TransportContext& context) {
    std::optional<std::string> reason;
    const auto address = grpc_address(context.topology);
    if (!address) {
        reason = fmt::format(
            "transport grpc listens on private networks only, and {} is on none: {} names the "
            "address to listen on",
            context.topology.mine().host, grpc_address_variable);
    } else if (const auto problem = why_not_heard_on(*address)) {
        reason = fmt::format(
            "transport grpc cannot listen on {} of {} ({}): {} names the address to listen on",
            quotation(*address), context.topology.mine().host, *problem, grpc_address_variable);
    }
    return context.world.first(reason);
}

}  // namespace

TransportKind grpc_transport() {
    return {grpc_traits, why_no_grpc, make_transport<GrpcTransport>};
}

}  // namespace quartet::comm

#include "comm/transport/grpc/grpc_push.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "comm/mpi/agree.hpp"
#include "comm/mpi/control_channel.hpp"
#include "comm/transport/grpc/grpc_link.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr int readable = 0;  // what a sender says of its vector
constexpr int added = 1;     // what the receiver says when it needs it no more

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

}  // namespace

std::unique_ptr<Push> make_grpc_push(const PushPlan& plan, const TransportContext& context,
                                     const Communicator& comm, const std::string& host,
                                     Track& track) {
    return std::make_unique<GrpcPush>(plan, context, comm, host, track);
}

}  // namespace quartet::comm

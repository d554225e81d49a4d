#include "comm/transport/grpc/grpc_payload_channel.hpp"

#include <atomic>
#include <vector>

#include "comm/transport/grpc/grpc_link.hpp"

namespace quartet::comm {

namespace {

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

}  // namespace

std::unique_ptr<PayloadChannel> make_grpc_payload_channel(const PayloadChannelPlan& plan,
                                                          const Communicator& comm,
                                                          device::Device& device,
                                                          const std::string& host, Track& track) {
    return std::make_unique<GrpcPayloadChannel>(plan, comm, device, host, track);
}

}  // namespace quartet::comm

#include "comm/transport/grpc/grpc_push.hpp"

#include <algorithm>
#include <numeric>

#include "comm/mpi/agree.hpp"
#include "comm/transport/grpc/grpc_receiver.hpp"
#include "comm/transport/grpc/grpc_sender.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "comm/transport/shared/chunks.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr Bytes largest_grpc_chunk = gibibytes(1);  // a message of protocol buffers ends at 2 GiB

Chunks grpc_chunks(Bytes vector, const TransportSettings& settings) {
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    const std::int64_t most = largest_grpc_chunk.value;
    return {vector.value,
            settings.pipeline == Pipeline::on
                ? Bytes{std::clamp(settings.chunk.value / element * element, element, most)}
                : Bytes{most}};
}

class GrpcPush final : public Push {
  public:
    GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
             const std::string& host, Track& track);

    void run(int count, device::Stream& stream) override;

  private:
    void receive_all(int count, device::Stream& stream);
    void send_all(int count);

    PushPlan plan_;
    device::Device& device_;
    Track& track_;
    Chunks chunks_;
    int depth_;
    std::vector<std::int64_t> awaited_;       ///< chunks, by sender
    std::unique_ptr<GrpcReceiver> receiver_;  ///< on the receiver
    std::unique_ptr<GrpcSender> sender_;      ///< on senders
};

GrpcPush::GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
                   const std::string& host, Track& track)
    : plan_(plan),
      device_(context.device),
      track_(track),
      chunks_(grpc_chunks(comm.rank() == plan.receiver ? plan.target.bytes() : plan.source.bytes(),
                          context.settings)),
      depth_(context.settings.pipeline == Pipeline::on ? grpc_push_depth : 1),
      awaited_(plan.senders.size()) {
    const int rank = comm.rank();
    agree(comm, [&] {
        if (rank == plan.receiver) {
            receiver_ = std::make_unique<GrpcReceiver>(host, plan.senders, chunks_);
        }
    });
    const std::string address =
        comm.broadcast(receiver_ ? receiver_->address() : "", plan.receiver);
    const std::string token = comm.broadcast(receiver_ ? receiver_->token() : "", plan.receiver);
    // All stay until all are connected: a receiver that leaves early would be called in vain.
    agree(comm, [&] {
        if (std::ranges::binary_search(plan.senders, rank)) {
            sender_ = std::make_unique<GrpcSender>(address, token, rank, chunks_);
        }
    });
}

void GrpcPush::run(int count, device::Stream& stream) {
    if (chunks_.count() == 0 || count == 0) {
        return;
    }
    if (receiver_) {
        receive_all(count, stream);
    } else if (sender_) {
        stream.synchronize();
        send_all(count);
    }
}

void GrpcPush::receive_all(int count, device::Stream& stream) {
    std::ranges::fill(awaited_, count * chunks_.count());
    const auto is_awaited = [this](std::size_t sender) { return awaited_[sender] > 0; };
    const std::int64_t total = std::reduce(awaited_.begin(), awaited_.end());
    for (std::int64_t chunk = 0; chunk < total; ++chunk) {
        GrpcInbox::Chunk next;
        {
            const Span span(track_, Phase::exchange, "receive");
            next = receiver_->inbox().take(is_awaited);
        }
        const auto target = plan_.target.part(next.first, next.elements.size());
        device_.vectors().add(next.elements, target, stream);
        stream.synchronize();
        --awaited_[next.sender];
        receiver_->inbox().done(next);
    }
}

void GrpcPush::send_all(int count) {
    const Span span(track_, Phase::push, "send");
    for (std::int64_t chunk = 0; chunk < count * chunks_.count(); ++chunk) {
        sender_->send(plan_.source);
        if (sender_->unacknowledged() == depth_) {
            sender_->await_acknowledgement();
        }
    }
    while (sender_->unacknowledged() > 0) {
        sender_->await_acknowledgement();
    }
}

}  // namespace

std::unique_ptr<Push> make_grpc_push(const PushPlan& plan, const TransportContext& context,
                                     const Communicator& comm, const std::string& host,
                                     Track& track) {
    return std::make_unique<GrpcPush>(plan, context, comm, host, track);
}

}  // namespace quartet::comm

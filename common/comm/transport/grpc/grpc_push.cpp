#include "comm/transport/grpc/grpc_push.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>

#include "comm/transport/grpc/grpc_inbox.hpp"
#include "comm/transport/grpc/grpc_traits.hpp"
#include "device/vector_operations.hpp"
#include "grpc_push.grpc.pb.h"

namespace quartet::comm {

namespace {

constexpr int without_limit = -1;
// A message of protocol buffers ends at 2 GiB.
constexpr std::int64_t largest_chunk = std::int64_t{1} << 28;
constexpr auto patience = std::chrono::seconds(20);  // with connections that do not come, or stay

using Stream = grpc::ClientReaderWriter<wire::Chunk, wire::Added>;

device::View<const float> elements_of(const wire::Chunk& chunk) {
    return {reinterpret_cast<const float*>(chunk.elements().data()),
            static_cast<std::int64_t>(chunk.elements().size() / sizeof(float)),
            device::MemoryKind::host};
}

/// The receiver's service: a thread of gRPC's for each sender brings chunks to the main thread,
/// which alone may use the device, and acknowledges what that has added.
class Service final : public wire::Adder::Service {
  public:
    explicit Service(GrpcInbox& inbox) : inbox_(inbox) {}

    grpc::Status Push(grpc::ServerContext* /*context*/,
                      grpc::ServerReaderWriter<wire::Added, wire::Chunk>* stream) override {
        wire::Chunk chunk;
        wire::Added added;
        while (stream->Read(&chunk)) {
            if (!inbox_.hand_over({chunk.first(), elements_of(chunk)})) {
                return {grpc::StatusCode::ABORTED, "the receiver has ended"};
            }
            added.set_chunks(added.chunks() + 1);
            if (!stream->Write(added)) {
                break;
            }
        }
        return grpc::Status::OK;
    }

  private:
    GrpcInbox& inbox_;
};

class GrpcPush final : public Push {
  public:
    GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
             const std::string& address, Track& track);
    ~GrpcPush() override;
    GrpcPush(const GrpcPush&) = delete;
    GrpcPush& operator=(const GrpcPush&) = delete;

    void run(int count, device::Stream& stream) override;

  private:
    [[nodiscard]] bool receives() const { return comm_.rank() == plan_.receiver; }
    [[nodiscard]] bool sends() const {
        return std::ranges::binary_search(plan_.senders, comm_.rank());
    }
    [[nodiscard]] std::int64_t chunks() const { return (elements_ + chunk_ - 1) / chunk_; }
    std::string listen(const std::string& address);
    bool connect(const std::string& address);
    void receive_all(int count, device::Stream& stream);
    void send_all(int count);
    void send(std::int64_t number);
    void await_acknowledgement();

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    std::int64_t elements_;
    std::int64_t chunk_;  ///< elements
    int depth_;

    // The receiver's; the service before the server in construction, after it in destruction.
    GrpcInbox inbox_;
    Service service_{inbox_};
    std::unique_ptr<grpc::Server> server_;

    // A sender's.
    std::unique_ptr<wire::Adder::Stub> stub_;
    grpc::ClientContext call_;
    std::unique_ptr<Stream> stream_;
    wire::Chunk outgoing_;
    std::int64_t sent_ = 0;          ///< chunks
    std::int64_t acknowledged_ = 0;  ///< chunks
};

std::int64_t chunk_elements(const TransportSettings& settings) {
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    return settings.pipeline == Pipeline::on
               ? std::clamp<std::int64_t>(settings.chunk.value / element, 1, largest_chunk)
               : largest_chunk;
}

GrpcPush::GrpcPush(const PushPlan& plan, const TransportContext& context, const Communicator& comm,
                   const std::string& address, Track& track)
    : plan_(plan),
      comm_(comm),
      device_(context.device),
      track_(track),
      elements_(comm.rank() == plan.receiver ? plan.target.size() : plan.source.size()),
      chunk_(chunk_elements(context.settings)),
      depth_(context.settings.pipeline == Pipeline::on ? grpc_push_depth : 1) {
    const std::string bound = comm.broadcast(receives() ? listen(address) : "", plan.receiver);
    if (bound.empty()) {
        throw Failure(
            fmt::format("transport grpc: rank {} cannot listen on {}", plan.receiver, address));
    }
    // All stay until all are connected: a receiver that leaves early would be called in vain.
    if (!comm.all(!sends() || connect(bound))) {
        throw Failure(fmt::format("transport grpc: a rank cannot connect to {}", bound));
    }
}

GrpcPush::~GrpcPush() {
    if (stream_) {
        // Whatever was sent has been acknowledged.
        call_.TryCancel();
        stream_->Finish();
    }
    if (server_) {
        inbox_.close();
        server_->Shutdown(std::chrono::system_clock::now() + patience);
    }
}

// Returns where, or nothing where it cannot: the others must learn of it before anything is thrown.
std::string GrpcPush::listen(const std::string& address) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(without_limit);
    builder.AddListeningPort(address + ":0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    return server_ && port != 0 ? fmt::format("{}:{}", address, port) : "";
}

bool GrpcPush::connect(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(without_limit);
    // A site's proxy is for the world outside; and each sender has a connection of its own.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel =
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        return false;
    }
    stub_ = wire::Adder::NewStub(channel);
    stream_ = stub_->Push(&call_);
    return true;
}

void GrpcPush::run(int count, device::Stream& stream) {
    if (elements_ == 0 || count == 0) {
        return;
    }
    if (receives()) {
        receive_all(count, stream);
    } else if (sends()) {
        stream.synchronize();
        send_all(count);
    }
}

void GrpcPush::receive_all(int count, device::Stream& stream) {
    const std::int64_t total = count * chunks() * std::ssize(plan_.senders);
    for (std::int64_t chunk = 0; chunk < total; ++chunk) {
        GrpcInbox::Chunk next;
        {
            const Span span(track_, Phase::exchange, "receive");
            next = inbox_.take();
        }
        const auto target = plan_.target.part(next.first, next.elements.size());
        device_.vectors().add(next.elements, target, stream);
        stream.synchronize();
        inbox_.done(next);
    }
}

void GrpcPush::send_all(int count) {
    const Span span(track_, Phase::push, "send");
    for (int push = 0; push < count; ++push) {
        for (std::int64_t number = 0; number < chunks(); ++number) {
            send(number);
            if (sent_ - acknowledged_ == depth_) {
                await_acknowledgement();
            }
        }
    }
    while (acknowledged_ < sent_) {
        await_acknowledgement();
    }
}

void GrpcPush::send(std::int64_t number) {
    const std::int64_t first = number * chunk_;
    const auto elements = plan_.source.part(first, std::min(chunk_, elements_ - first));
    outgoing_.set_first(first);
    outgoing_.set_elements(elements.data(), static_cast<std::size_t>(elements.bytes().value));
    if (!stream_->Write(outgoing_)) {
        throw Failure("transport grpc: the receiver has closed the stream");
    }
    ++sent_;
}

void GrpcPush::await_acknowledgement() {
    wire::Added added;
    if (!stream_->Read(&added)) {
        throw Failure("transport grpc: the receiver has closed the stream");
    }
    acknowledged_ = added.chunks();
}

}  // namespace

std::unique_ptr<Push> make_grpc_push(const PushPlan& plan, const TransportContext& context,
                                     const Communicator& comm, const std::string& address,
                                     Track& track) {
    return std::make_unique<GrpcPush>(plan, context, comm, address, track);
}

}  // namespace quartet::comm

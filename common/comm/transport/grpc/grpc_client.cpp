#include "comm/transport/grpc/grpc_client.hpp"

#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <thread>
#include <vector>

#include "comm/transport/grpc/grpc_completions.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, Bytes largest) {
    check(largest.value <= std::numeric_limits<int>::max(),
          "transport grpc: a message is larger than gRPC counts");
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(largest.value));
    arguments.SetMaxSendMessageSize(sizeof(GrpcRequest));
    // A site's proxy serves connections to the outside; and each client has its own connection.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

/// One call. It keeps itself until the receiving thread is done with it.
class GrpcFetch::Call final : public GrpcOperation {
  public:
    Call(const device::View<std::byte>& target, const std::string& token) : target_(target) {
        context_.AddMetadata(grpc_token_key, token);
    }

    void start(grpc::GenericStub& stub, std::int64_t item, grpc::CompletionQueue& queue,
               std::shared_ptr<Call> self) {
        const GrpcRequest request{item, target_.size()};
        const grpc::Slice slice(&request, sizeof request);
        self_ = std::move(self);
        reader_ =
            stub.PrepareUnaryCall(&context_, grpc_method, grpc::ByteBuffer(&slice, 1), &queue);
        reader_->StartCall();
        reader_->Finish(&answer_, &status_, static_cast<GrpcOperation*>(this));
    }

    void on_end(bool /*done*/) override {
        const std::shared_ptr<Call> self = std::move(self_);
        problem_ = status_.ok() ? copy() : quotation(status_.error_message());
        ended_.set_value();
    }

    void cancel() { context_.TryCancel(); }
    void wait() const { end_.wait(); }
    /// Once it has ended: why nothing was fetched, or empty.
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] std::string peer() const { return context_.peer(); }

  private:
    std::string copy();

    device::View<std::byte> target_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
    grpc::ByteBuffer answer_;
    grpc::Status status_;
    std::string problem_;
    std::promise<void> ended_;
    std::future<void> end_ = ended_.get_future();
    std::shared_ptr<Call> self_;
};

// Returns why the answer is not what was asked for, or nothing.
std::string GrpcFetch::Call::copy() {
    const auto wanted = static_cast<std::size_t>(target_.size());
    std::vector<grpc::Slice> slices;
    if (answer_.Length() != wanted || !answer_.Dump(&slices).ok()) {
        return fmt::format("{} bytes came, where {} are", answer_.Length(), wanted);
    }
    std::byte* to = target_.data();
    for (const grpc::Slice& slice : slices) {
        std::memcpy(to, slice.begin(), slice.size());
        to += slice.size();
    }
    answer_.Clear();
    return {};
}

GrpcFetch::~GrpcFetch() {
    call_->cancel();
    call_->wait();
}

void GrpcFetch::wait() {
    call_->wait();
    if (!call_->problem().empty()) {
        throw Failure(fmt::format("transport grpc: cannot fetch from {} ({})", call_->peer(),
                                  call_->problem()));
    }
}

struct GrpcReceiver::Thread {
    grpc::CompletionQueue queue;
    std::thread thread{[this] {
        while (complete_next(queue)) {
        }
    }};
};

GrpcReceiver::GrpcReceiver() : thread_(std::make_unique<Thread>()) {}

GrpcReceiver::~GrpcReceiver() {
    thread_->queue.Shutdown();
    thread_->thread.join();
}

struct GrpcClient::Connection {
    grpc::GenericStub stub;
};

GrpcClient::GrpcClient(GrpcReceiver& receiver, const std::string& address, std::string token,
                       Bytes largest)
    : receiver_(receiver), token_(std::move(token)) {
    constexpr auto patience = std::chrono::seconds(20);
    const auto channel = channel_to(address, largest);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw Failure(fmt::format("transport grpc: cannot connect to {}", address));
    }
    connection_ = std::make_unique<Connection>(grpc::GenericStub(channel));
}

GrpcClient::~GrpcClient() = default;

std::unique_ptr<GrpcFetch> GrpcClient::fetch(std::int64_t item,
                                             const device::View<std::byte>& target) {
    auto call = std::make_shared<GrpcFetch::Call>(target, token_);
    call->start(connection_->stub, item, receiver_.thread_->queue, call);
    return std::make_unique<GrpcFetch>(std::move(call));
}

}  // namespace quartet::comm

#include "comm/transport/grpc/grpc_fetch.hpp"

#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace quartet::comm {

namespace {

constexpr auto patience = std::chrono::seconds(20);

// As hexadecimal digits. Throws Failure if the system has no random bytes.
std::string draw_token() {
    std::array<unsigned char, 32> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0) {
        throw Failure(fmt::format("transport grpc: the system gives no random bytes ({})",
                                  std::generic_category().message(errno)));
    }
    std::string token;
    for (const unsigned byte : bytes) {
        token += fmt::format("{:02x}", byte);
    }
    return token;
}

// Empty if there is none, or more than one.
std::string_view token_of(const grpc::CallbackServerContext& call) {
    const auto& all = call.client_metadata();
    const auto found = all.find(grpc_token_key);
    return all.count(grpc_token_key) == 1
               ? std::string_view(found->second.data(), found->second.size())
               : "";
}

std::optional<GrpcRequest> request_in(const grpc::ByteBuffer& message) {
    grpc::Slice slice;
    GrpcRequest request;
    if (!message.DumpToSingleSlice(&slice).ok() || slice.size() != sizeof request) {
        return std::nullopt;
    }
    std::memcpy(&request, slice.begin(), sizeof request);
    return request;
}

/// A call that a server answers; gRPC deletes it by OnDone.
class Answer final : public grpc::ServerGenericBidiReactor {
  public:
    Answer(const grpc::CallbackServerContext& call, const std::string& token,
           const GrpcServer::Offer& offer)
        : offer_(offer) {
        if (is_same_token(token_of(call), token)) {
            StartRead(&message_);
        } else {
            Finish({grpc::StatusCode::UNAUTHENTICATED, "this transfer has another token"});
        }
    }

    void OnReadDone(bool done) override {
        const auto request = done ? request_in(message_) : std::nullopt;
        const auto bytes = request ? offer_(*request) : std::nullopt;
        if (!bytes) {
            Finish({grpc::StatusCode::INVALID_ARGUMENT, "no such bytes are offered"});
            return;
        }
        const grpc::Slice slice(bytes->data(), static_cast<std::size_t>(bytes->size()),
                                grpc::Slice::STATIC_SLICE);
        message_ = grpc::ByteBuffer(&slice, 1);
        StartWriteAndFinish(&message_, {}, grpc::Status::OK);
    }

    void OnDone() override { delete this; }

  private:
    const GrpcServer::Offer& offer_;
    grpc::ByteBuffer message_;
};

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

bool is_same_token(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) {
        return false;
    }
    // Volatile, so that no compiler may stop at the first difference.
    volatile unsigned difference = 0;
    for (std::size_t index = 0; index < one.size(); ++index) {
        difference = difference | static_cast<unsigned>(one[index] ^ other[index]);
    }
    return difference == 0;
}

class GrpcServer::Service final : public grpc::CallbackGenericService {
  public:
    Service(const std::string& token, Offer offer) : token_(token), offer_(std::move(offer)) {}

    /// Returns the port; 0 if it cannot.
    int listen(const std::string& host) {
        constexpr int calls_of_a_connection = 64;  // at a time; others wait
        int port = 0;
        grpc::ServerBuilder builder;
        builder.SetMaxReceiveMessageSize(sizeof(GrpcRequest));
        builder.SetMaxSendMessageSize(-1);
        builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, calls_of_a_connection);
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // no second process on the port
        builder.AddListeningPort(host + ":0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterCallbackGenericService(this);
        server_ = builder.BuildAndStart();
        return server_ ? port : 0;
    }

    void shut_down(std::chrono::seconds while_calls_end) {
        server_->Shutdown(std::chrono::system_clock::now() + while_calls_end);
        server_.reset();
    }

    grpc::ServerGenericBidiReactor* CreateReactor(
        grpc::GenericCallbackServerContext* call) override {
        return new Answer(*call, token_, offer_);
    }

  private:
    const std::string& token_;
    Offer offer_;
    std::unique_ptr<grpc::Server> server_;
};

GrpcServer::GrpcServer(const std::string& host, Offer offer)
    : token_(draw_token()),
      service_(std::make_unique<Service>(token_, std::move(offer))),
      exceptions_(std::uncaught_exceptions()) {
    const int port = service_->listen(host);
    if (port == 0) {
        throw Failure(fmt::format("transport grpc: cannot listen on {}", host));
    }
    address_ = fmt::format("{}:{}", host, port);
}

GrpcServer::~GrpcServer() {
    const bool unwinds = std::uncaught_exceptions() > exceptions_;
    service_->shut_down(unwinds ? std::chrono::seconds(0) : patience);
}

/// One call.
class GrpcFetch::Call {
  public:
    Call(std::int64_t item, const device::View<std::byte>& target, const std::string& token)
        : target_(target) {
        const GrpcRequest request{item, target.size()};
        const grpc::Slice slice(&request, sizeof request);
        request_ = grpc::ByteBuffer(&slice, 1);
        context_.AddMetadata(grpc_token_key, token);
    }

    /// `self` keeps the call until gRPC's thread is done with it.
    void start(grpc::GenericStub& stub, const std::shared_ptr<Call>& self) {
        stub.UnaryCall(
            &context_, grpc_method, {}, &request_, &answer_, [self](const grpc::Status& status) {
                self->problem_ = status.ok() ? self->copy() : quotation(status.error_message());
                self->ended_.set_value();
            });
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
    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
    std::string problem_;
    std::promise<void> ended_;
    std::future<void> end_ = ended_.get_future();
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

struct GrpcClient::Connection {
    grpc::GenericStub stub;
};

GrpcClient::GrpcClient(const std::string& address, std::string token, Bytes largest)
    : token_(std::move(token)) {
    const auto channel = channel_to(address, largest);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw Failure(fmt::format("transport grpc: cannot connect to {}", address));
    }
    connection_ = std::make_unique<Connection>(grpc::GenericStub(channel));
}

GrpcClient::~GrpcClient() = default;

std::unique_ptr<GrpcFetch> GrpcClient::fetch(std::int64_t item,
                                             const device::View<std::byte>& target) {
    auto call = std::make_shared<GrpcFetch::Call>(item, target, token_);
    call->start(connection_->stub, call);
    return std::make_unique<GrpcFetch>(std::move(call));
}

}  // namespace quartet::comm

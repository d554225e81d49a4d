#include "comm/transport/grpc/grpc_calls.hpp"

#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <malloc.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <future>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace quartet::comm {

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

/// An operation of gRPC's that has been started. A completion queue says that it has ended.
class GrpcOperation {
  public:
    virtual ~GrpcOperation() = default;
    /// `done`: whether it did what it was to do.
    virtual void on_end(bool done) = 0;
};

/// Waits for the end of an operation and calls its on_end(). False if the queue was shut down and
/// no more will end. Every operation was started with a pointer to its GrpcOperation as tag.
static bool complete_next(grpc::CompletionQueue& queue) {
    void* operation = nullptr;
    bool done = false;
    if (!queue.Next(&operation, &done)) {
        return false;
    }
    static_cast<GrpcOperation*>(operation)->on_end(done);
    return true;
}

namespace {

// Calls at a time; further ones wait. Far more than the receives that a rank starts before it
// sends.
constexpr int calls_of_a_connection = 1024;

// The caller's token; empty if there is none, or more than one.
std::string_view token_of(const grpc::GenericServerContext& call) {
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

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, Bytes largest) {
    check(largest.value <= std::numeric_limits<int>::max(),
          "transport grpc: a message is larger than gRPC counts");
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(largest.value));
    arguments.SetMaxSendMessageSize(sizeof(GrpcRequest));
    // A site's proxy serves only connections to the outside. Each client has its own connection.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

/// Its thread answers other ranks' calls in steps, and ends the calls of this rank's clients.
class GrpcEndpoint::Service {
  public:
    explicit Service(const std::string& token) : token_(token) {}

    /// Returns the port; 0 if it cannot.
    int listen(const std::string& host);
    void shut_down(std::chrono::seconds patience);

    void offer(const GrpcMessage& message, const device::View<const std::byte>& bytes);
    void wait_until_taken(const GrpcMessage& message) { shared_->wait_until_taken(message); }
    [[nodiscard]] grpc::CompletionQueue& queue() { return *queue_; }

  private:
    /// A call is accepted, read, and answered, perhaps after it has waited for its message; then it
    /// deletes itself. The thread makes and deletes it.
    class Call final : public GrpcOperation {
      public:
        explicit Call(Service& service) : service_(service) {
            ++service_.calls_;
            service_.calls_to_come_.RequestCall(&context_, &stream_, service_.queue_.get(),
                                                service_.queue_.get(), tag());
        }
        // Until the server is shut down, one call waits to be accepted.
        ~Call() override {
            if (--service_.calls_ == 0) {
                service_.queue_->Shutdown();
            }
        }

        void on_end(bool done) override;
        /// The last step: the call may not be used afterwards.
        void answer(const GrpcMessage& message, const device::View<const std::byte>& bytes);
        void refuse(grpc::StatusCode code, const std::string& reason) {
            stream_.Finish({code, reason}, tag());
        }
        [[nodiscard]] std::int64_t size() const { return request_.size; }

      private:
        enum class Step { accept, read, answer };

        void read();
        GrpcOperation* tag() { return this; }

        Service& service_;
        Step step_ = Step::accept;
        GrpcRequest request_;
        grpc::GenericServerContext context_;
        grpc::GenericServerAsyncReaderWriter stream_{&context_};
        grpc::ByteBuffer message_;
    };

    /// The offered messages, and the calls that wait for others. Messages under way share its
    /// ownership.
    struct Shared {
        std::mutex mutex;
        std::condition_variable taken;
        std::map<GrpcMessage, device::View<const std::byte>> offered;
        std::map<GrpcMessage, Call*> waiting;
        bool closed = false;

        void take(const GrpcMessage& message) {
            const std::lock_guard lock(mutex);
            offered.erase(message);
            taken.notify_all();
        }
        void wait_until_taken(const GrpcMessage& message) {
            std::unique_lock lock(mutex);
            taken.wait(lock, [&] { return !offered.contains(message); });
        }
    };
    /// A message that gRPC is sending from its place.
    struct Lent {
        std::shared_ptr<Shared> shared;
        GrpcMessage message;
    };

    void give(Call& call, const GrpcRequest& request);
    void answer(Call& call, const GrpcMessage& message, const device::View<const std::byte>& bytes);

    const std::string& token_;
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
    grpc::AsyncGenericService calls_to_come_;
    std::unique_ptr<grpc::ServerCompletionQueue> queue_;
    std::unique_ptr<grpc::Server> server_;
    int calls_ = 0;  ///< that exist, with the one that waits to be accepted
    std::thread thread_;
};

void GrpcEndpoint::Service::Call::on_end(bool done) {
    switch (step_) {
        case Step::accept:
            if (!done) {  // the server has been shut down
                break;
            }
            new Call(service_);
            read();
            return;
        case Step::read: {
            step_ = Step::answer;
            const auto request = done ? request_in(message_) : std::nullopt;
            if (!request) {
                refuse(grpc::StatusCode::INVALID_ARGUMENT, "this is no request");
                return;
            }
            request_ = *request;
            service_.give(*this, *request);
            return;
        }
        case Step::answer:
            break;
    }
    delete this;
}

void GrpcEndpoint::Service::Call::read() {
    if (is_same_token(token_of(context_), service_.token_)) {
        step_ = Step::read;
        stream_.Read(&message_, tag());
    } else {
        step_ = Step::answer;
        refuse(grpc::StatusCode::UNAUTHENTICATED, "this transfer has another token");
    }
}

void GrpcEndpoint::Service::Call::answer(const GrpcMessage& message,
                                         const device::View<const std::byte>& bytes) {
    const auto give_back = [](void* data) {
        const std::unique_ptr<Lent> lent(static_cast<Lent*>(data));
        lent->shared->take(lent->message);
    };
    const grpc::Slice slice(const_cast<std::byte*>(bytes.data()),
                            static_cast<std::size_t>(bytes.size()), give_back,
                            new Lent{service_.shared_, message});
    message_ = grpc::ByteBuffer(&slice, 1);
    stream_.WriteAndFinish(message_, {}, grpc::Status::OK, tag());
}

// Only the thread calls this.
void GrpcEndpoint::Service::give(Call& call, const GrpcRequest& request) {
    std::optional<device::View<const std::byte>> bytes;
    {
        const std::lock_guard lock(shared_->mutex);
        const auto found = shared_->offered.find(request.message);
        if (found != shared_->offered.end()) {
            bytes = found->second;
        } else if (!shared_->closed &&
                   shared_->waiting.try_emplace(request.message, &call).second) {
            return;
        }
    }
    if (bytes) {
        answer(call, request.message, *bytes);
    } else {
        call.refuse(grpc::StatusCode::INVALID_ARGUMENT, "no such message is offered");
    }
}

void GrpcEndpoint::Service::answer(Call& call, const GrpcMessage& message,
                                   const device::View<const std::byte>& bytes) {
    if (call.size() == bytes.size()) {
        call.answer(message, bytes);
        return;
    }
    const std::int64_t asked = call.size();
    call.refuse(
        grpc::StatusCode::INVALID_ARGUMENT,
        fmt::format("a message of {} bytes was sent, where {} are expected", bytes.size(), asked));
    shared_->take(message);
}

void GrpcEndpoint::Service::offer(const GrpcMessage& message,
                                  const device::View<const std::byte>& bytes) {
    Call* waits = nullptr;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->offered.emplace(message, bytes);
        if (const auto found = shared_->waiting.find(message); found != shared_->waiting.end()) {
            waits = found->second;
            shared_->waiting.erase(found);
        }
    }
    if (waits != nullptr) {
        answer(*waits, message, bytes);
    }
}

int GrpcEndpoint::Service::listen(const std::string& host) {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(sizeof(GrpcRequest));
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, calls_of_a_connection);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // no second process on the port
    builder.AddListeningPort(host + ":0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterAsyncGenericService(&calls_to_come_);
    queue_ = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    if (!server_ || port == 0) {
        queue_->Shutdown();
        return 0;
    }
    new Call(*this);
    thread_ = std::thread([this] {
        while (complete_next(*queue_)) {
        }
    });
    return port;
}

// From now on no call is accepted, and none waits for a message: the thread ends with the last
// call.
void GrpcEndpoint::Service::shut_down(std::chrono::seconds patience) {
    std::map<GrpcMessage, Call*> waiting;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->closed = true;
        waiting.swap(shared_->waiting);
    }
    for (const auto& [message, call] : waiting) {
        call->refuse(grpc::StatusCode::UNAVAILABLE, "the sender has ended");
    }
    server_->Shutdown(std::chrono::system_clock::now() + patience);
    thread_.join();
}

GrpcEndpoint::GrpcEndpoint(const std::string& host)
    : token_(draw_token()),
      service_(std::make_unique<Service>(token_)),
      exceptions_(std::uncaught_exceptions()) {
    // gRPC allocates each message anew. By default the allocator gives freed memory back to the
    // system, so that each message touches new pages: pushes of 2 MiB between two cores of a Xeon
    // ran at 1800 MiB/s, and at 2700 MiB/s since it is kept.
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    const int port = service_->listen(host);
    if (port == 0) {
        throw Failure(fmt::format("transport grpc: cannot listen on {}", host));
    }
    address_ = fmt::format("{}:{}", host, port);
}

GrpcEndpoint::~GrpcEndpoint() {
    const bool unwinds = std::uncaught_exceptions() > exceptions_;
    service_->shut_down(std::chrono::seconds(unwinds ? 0 : 20));
}

void GrpcEndpoint::offer(const GrpcMessage& message, const device::View<const std::byte>& bytes) {
    service_->offer(message, bytes);
}

void GrpcEndpoint::wait_until_taken(const GrpcMessage& message) {
    service_->wait_until_taken(message);
}

/// One call. It owns itself until the thread is done with it.
class GrpcFetch::Call final : public GrpcOperation {
  public:
    Call(const device::View<std::byte>& target, const std::string& token) : target_(target) {
        context_.AddMetadata(grpc_token_key, token);
    }

    void start(grpc::GenericStub& stub, const GrpcMessage& message, grpc::CompletionQueue& queue,
               std::shared_ptr<Call> self) {
        const GrpcRequest request{message, target_.size()};
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
    /// After the call's end: why nothing was fetched, or empty.
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
        return fmt::format("{} bytes came, where {} are expected", answer_.Length(), wanted);
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

GrpcClient::GrpcClient(GrpcEndpoint& mine, const std::string& address, std::string token,
                       Bytes largest)
    : mine_(mine), token_(std::move(token)) {
    constexpr auto patience = std::chrono::seconds(20);
    const auto channel = channel_to(address, largest);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw Failure(fmt::format("transport grpc: cannot connect to {}", address));
    }
    connection_ = std::make_unique<Connection>(grpc::GenericStub(channel));
}

GrpcClient::~GrpcClient() = default;

std::unique_ptr<GrpcFetch> GrpcClient::fetch(const GrpcMessage& message,
                                             const device::View<std::byte>& target) {
    auto call = std::make_shared<GrpcFetch::Call>(target, token_);
    call->start(connection_->stub, message, mine_.service_->queue(), call);
    return std::make_unique<GrpcFetch>(std::move(call));
}

}  // namespace quartet::comm

#include "comm/transport/grpc/grpc_calls.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <system_error>
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

constexpr auto patience = std::chrono::seconds(20);

std::shared_ptr<grpc::Channel> connected_channel(const std::string& address, Bytes largest) {
    check(largest.value <= std::numeric_limits<int>::max(),
          "transport grpc: a message is larger than gRPC counts");
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(largest.value));
    arguments.SetMaxSendMessageSize(sizeof(GrpcRequest));
    // A site's proxy serves only connections to the outside. Each client has its own connection.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto channel =
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw Failure(fmt::format("transport grpc: cannot connect to {}", address));
    }
    return channel;
}

}  // namespace

/// The offered messages, and the calls that wait for others. Messages under way share its
/// ownership.
struct GrpcEndpoint::Shared {
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
};

/// A call is accepted, read, and answered, perhaps after it has waited for its message; then it
/// deletes itself. The endpoint's thread makes and deletes it.
class GrpcEndpoint::Call final : public GrpcOperation {
  public:
    explicit Call(GrpcEndpoint& endpoint) : endpoint_(endpoint) {
        ++endpoint_.calls_;
        endpoint_.calls_to_come_.RequestCall(&context_, &stream_, endpoint_.queue_.get(),
                                             endpoint_.queue_.get(), tag());
    }
    // Until the server is shut down, one call waits to be accepted.
    ~Call() override {
        if (--endpoint_.calls_ == 0) {
            endpoint_.queue_->Shutdown();
        }
    }

    void on_end(bool done) override;
    /// The last step, as refuse() is: the call may not be used afterwards.
    void answer(const device::View<const std::byte>& bytes);
    void refuse(grpc::StatusCode code, const std::string& reason) {
        stream_.Finish({code, reason}, tag());
    }

  private:
    enum class Step { accept, read, answer };

    /// A message that gRPC is sending from its place.
    struct Lent {
        std::shared_ptr<Shared> shared;
        GrpcMessage message;
    };

    GrpcOperation* tag() { return this; }

    GrpcEndpoint& endpoint_;
    Step step_ = Step::accept;
    GrpcRequest request_;
    grpc::GenericServerContext context_;
    grpc::GenericServerAsyncReaderWriter stream_{&context_};
    grpc::ByteBuffer message_;
};

void GrpcEndpoint::Call::on_end(bool done) {
    switch (step_) {
        case Step::accept:
            if (!done) {  // the server has been shut down
                break;
            }
            new Call(endpoint_);
            if (is_same_token(token_of(context_), endpoint_.token_)) {
                step_ = Step::read;
                stream_.Read(&message_, tag());
            } else {
                step_ = Step::answer;
                refuse(grpc::StatusCode::UNAUTHENTICATED, "this transfer has another token");
            }
            return;
        case Step::read: {
            step_ = Step::answer;
            const auto request = done ? request_in(message_) : std::nullopt;
            if (!request) {
                refuse(grpc::StatusCode::INVALID_ARGUMENT, "this is no request");
                return;
            }
            request_ = *request;
            endpoint_.give(*this, request->message);
            return;
        }
        case Step::answer:
            break;
    }
    delete this;
}

void GrpcEndpoint::Call::answer(const device::View<const std::byte>& bytes) {
    if (request_.size != bytes.size()) {
        const Lent refused{endpoint_.shared_, request_.message};  // the refusal may end the call
        refuse(grpc::StatusCode::INVALID_ARGUMENT,
               fmt::format("a message of {} bytes was sent, where {} are expected", bytes.size(),
                           request_.size));
        refused.shared->take(refused.message);
        return;
    }
    const auto give_back = [](void* data) {
        const std::unique_ptr<Lent> lent(static_cast<Lent*>(data));
        lent->shared->take(lent->message);
    };
    const grpc::Slice slice(const_cast<std::byte*>(bytes.data()),
                            static_cast<std::size_t>(bytes.size()), give_back,
                            new Lent{endpoint_.shared_, request_.message});
    message_ = grpc::ByteBuffer(&slice, 1);
    stream_.WriteAndFinish(message_, {}, grpc::Status::OK, tag());
}

GrpcEndpoint::GrpcEndpoint(const std::string& host)
    : token_(draw_token()),
      shared_(std::make_shared<Shared>()),
      exceptions_(std::uncaught_exceptions()) {
    // gRPC allocates each message anew. By default the allocator gives freed memory back to the
    // system, so that each message touches new pages: pushes of 2 MiB between two cores of a Xeon
    // ran at 1800 MiB/s, and at 2700 MiB/s since it is kept.
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
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
        throw Failure(fmt::format("transport grpc: cannot listen on {}", host));
    }
    address_ = fmt::format("{}:{}", host, port);
    new Call(*this);
    thread_ = std::thread([this] {
        void* operation = nullptr;
        bool done = false;
        while (queue_->Next(&operation, &done)) {  // every tag is a GrpcOperation
            static_cast<GrpcOperation*>(operation)->on_end(done);
        }
    });
}

// From now on no call is accepted, and none waits for a message: the thread ends with the last
// call.
GrpcEndpoint::~GrpcEndpoint() {
    const bool unwinds = std::uncaught_exceptions() > exceptions_;
    std::map<GrpcMessage, Call*> waiting;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->closed = true;
        waiting.swap(shared_->waiting);
    }
    for (const auto& [message, call] : waiting) {
        call->refuse(grpc::StatusCode::UNAVAILABLE, "the sender has ended");
    }
    server_->Shutdown(std::chrono::system_clock::now() +
                      (unwinds ? std::chrono::seconds(0) : patience));
    thread_.join();
}

// Only the thread calls this.
void GrpcEndpoint::give(Call& call, const GrpcMessage& message) {
    std::optional<device::View<const std::byte>> bytes;
    {
        const std::lock_guard lock(shared_->mutex);
        const auto found = shared_->offered.find(message);
        if (found != shared_->offered.end()) {
            bytes = found->second;
        } else if (!shared_->closed && shared_->waiting.try_emplace(message, &call).second) {
            return;
        }
    }
    if (bytes) {
        call.answer(*bytes);
    } else {
        call.refuse(grpc::StatusCode::INVALID_ARGUMENT, "no such message is offered");
    }
}

void GrpcEndpoint::offer(const GrpcMessage& message, const device::View<const std::byte>& bytes) {
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
        waits->answer(bytes);
    }
}

void GrpcEndpoint::wait_until_taken(const GrpcMessage& message) {
    std::unique_lock lock(shared_->mutex);
    shared_->taken.wait(lock, [&] { return !shared_->offered.contains(message); });
}

GrpcFetch::GrpcFetch(grpc::GenericStub& stub, const std::string& token, const GrpcMessage& message,
                     const device::View<std::byte>& target, grpc::CompletionQueue& queue)
    : target_(target) {
    const GrpcRequest request{message, target.size()};
    const grpc::Slice slice(&request, sizeof request);
    context_.AddMetadata(grpc_token_key, token);
    reader_ = stub.PrepareUnaryCall(&context_, grpc_method, grpc::ByteBuffer(&slice, 1), &queue);
    reader_->StartCall();
    reader_->Finish(&answer_, &status_, static_cast<GrpcOperation*>(this));
}

GrpcFetch::~GrpcFetch() {
    context_.TryCancel();
    wait_for_end();
}

// Notifies before it unlocks: as soon as the lock is free, the other thread may destroy this.
void GrpcFetch::on_end(bool /*done*/) {
    problem_ = status_.ok() ? copy() : quotation(status_.error_message());
    const std::lock_guard lock(mutex_);
    ended_ = true;
    end_.notify_one();
}

void GrpcFetch::wait_for_end() {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [&] { return ended_; });
}

// Returns why the answer is not what was asked for, or nothing.
std::string GrpcFetch::copy() {
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

void GrpcFetch::wait() {
    wait_for_end();
    if (!problem_.empty()) {
        throw Failure(
            fmt::format("transport grpc: cannot fetch from {} ({})", context_.peer(), problem_));
    }
}

GrpcClient::GrpcClient(GrpcEndpoint& mine, const std::string& address, std::string token,
                       Bytes largest)
    : mine_(mine), token_(std::move(token)), stub_(connected_channel(address, largest)) {}

}  // namespace quartet::comm

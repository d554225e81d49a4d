#include "comm/transport/grpc/grpc_server.hpp"

#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>

#include "comm/transport/grpc/grpc_completions.hpp"
#include "comm/transport/grpc/grpc_token.hpp"

namespace quartet::comm {

namespace {

constexpr int calls_of_a_connection = 64;  // at a time; others wait

// Empty if there is none, or more than one.
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

}  // namespace

/// A thread that answers one call after another, each in steps.
class GrpcServer::Service {
  public:
    Service(const std::string& token, Offer offer) : token_(token), offer_(std::move(offer)) {}

    /// Returns the port; 0 if it cannot.
    int listen(const std::string& host);
    void shut_down(std::chrono::seconds patience);

  private:
    /// A call: accepted, read, answered; then it deletes itself.
    class Call final : public GrpcOperation {
      public:
        explicit Call(Service& service) : service_(service) {
            ++service_.calls_;
            service_.calls_to_come_.RequestCall(&context_, &stream_, service_.queue_.get(),
                                                service_.queue_.get(), tag());
        }
        ~Call() override { --service_.calls_; }

        void on_end(bool done) override;

      private:
        enum class Step { accept, read, answer };

        void read();
        void answer(const std::optional<GrpcRequest>& request);
        GrpcOperation* tag() { return this; }

        Service& service_;
        Step step_ = Step::accept;
        grpc::GenericServerContext context_;
        grpc::GenericServerAsyncReaderWriter stream_{&context_};
        grpc::ByteBuffer message_;
    };

    const std::string& token_;
    Offer offer_;
    grpc::AsyncGenericService calls_to_come_;
    std::unique_ptr<grpc::ServerCompletionQueue> queue_;
    std::unique_ptr<grpc::Server> server_;
    int calls_ = 0;  ///< of the thread's, the one that waits to be made included
    std::thread thread_;
};

void GrpcServer::Service::Call::on_end(bool done) {
    switch (step_) {
        case Step::accept:
            if (!done) {  // the server has been shut down
                break;
            }
            new Call(service_);
            read();
            return;
        case Step::read:
            answer(done ? request_in(message_) : std::nullopt);
            return;
        case Step::answer:
            break;
    }
    delete this;
}

void GrpcServer::Service::Call::read() {
    if (is_same_token(token_of(context_), service_.token_)) {
        step_ = Step::read;
        stream_.Read(&message_, tag());
    } else {
        step_ = Step::answer;
        stream_.Finish({grpc::StatusCode::UNAUTHENTICATED, "this transfer has another token"},
                       tag());
    }
}

void GrpcServer::Service::Call::answer(const std::optional<GrpcRequest>& request) {
    step_ = Step::answer;
    const auto bytes = request ? service_.offer_(*request) : std::nullopt;
    if (!bytes) {
        stream_.Finish({grpc::StatusCode::INVALID_ARGUMENT, "no such bytes are offered"}, tag());
        return;
    }
    const grpc::Slice slice(bytes->data(), static_cast<std::size_t>(bytes->size()),
                            grpc::Slice::STATIC_SLICE);
    message_ = grpc::ByteBuffer(&slice, 1);
    stream_.WriteAndFinish(message_, {}, grpc::Status::OK, tag());
}

int GrpcServer::Service::listen(const std::string& host) {
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
        while (calls_ > 0) {
            complete_next(*queue_);
        }
    });
    return port;
}

// No call is accepted any more: the thread ends with the last one.
void GrpcServer::Service::shut_down(std::chrono::seconds patience) {
    server_->Shutdown(std::chrono::system_clock::now() + patience);
    thread_.join();
    queue_->Shutdown();
    while (complete_next(*queue_)) {
    }
}

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
    service_->shut_down(std::chrono::seconds(unwinds ? 0 : 20));
}

}  // namespace quartet::comm

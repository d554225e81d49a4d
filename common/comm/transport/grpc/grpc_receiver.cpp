#include "comm/transport/grpc/grpc_receiver.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>

#include "comm/transport/grpc/grpc_token.hpp"
#include "comm/transport/grpc/grpc_wire.hpp"
#include "grpc_push.grpc.pb.h"

namespace quartet::comm {

namespace {

using IncomingStream = grpc::ServerReaderWriter<wire::Added, wire::Chunk>;

// Empty where there is none, or more than one.
std::string_view metadata_of(const grpc::ServerContext& call, const char* key) {
    const auto& all = call.client_metadata();
    const auto found = all.find(key);
    return all.count(key) == 1 ? std::string_view(found->second.data(), found->second.size()) : "";
}

device::View<const float> elements_of(const wire::Chunk& chunk) {
    return {reinterpret_cast<const float*>(chunk.elements().data()),
            static_cast<std::int64_t>(chunk.elements().size() / sizeof(float)),
            device::MemoryKind::host};
}

}  // namespace

/// A thread of gRPC's for each sender brings chunks to the main thread, which alone may use the
/// device, and acknowledges what that has added.
class GrpcReceiver::Listener final : public wire::Adder::Service {
  public:
    Listener(GrpcInbox& inbox, const std::string& token, std::vector<int> senders,
             const Chunks& chunks)
        : inbox_(inbox),
          token_(token),
          senders_(std::move(senders)),
          chunks_(chunks),
          accepted_(senders_.size()) {}

    grpc::Status Push(grpc::ServerContext* call, IncomingStream* stream) override {
        if (!is_same_token(metadata_of(*call, grpc_token_key), token_)) {
            return {grpc::StatusCode::UNAUTHENTICATED, "this push has another token"};
        }
        const auto sender = accept(metadata_of(*call, grpc_rank_key));
        if (!sender) {
            return {grpc::StatusCode::PERMISSION_DENIED, "no sender of this push, or once more"};
        }
        return receive(*sender, *stream);
    }

    /// Returns the port; 0 where it cannot.
    int listen(const std::string& host) {
        int port = 0;
        grpc::ServerBuilder builder;
        builder.SetMaxReceiveMessageSize(grpc_chunk_limit(chunks_));
        builder.SetMaxSendMessageSize(grpc_acknowledgement_limit);
        builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1);  // of a connection
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // no second process on the port
        builder.AddListeningPort(host + ":0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(this);
        server_ = builder.BuildAndStart();
        return server_ ? port : 0;
    }

    void shut_down(std::chrono::seconds patience) {
        server_->Shutdown(std::chrono::system_clock::now() + patience);
    }

  private:
    /// Which of the senders it is; nothing where it is none, or has had its stream.
    std::optional<std::size_t> accept(std::string_view text) {
        int rank = -1;
        std::from_chars(text.data(), text.data() + text.size(), rank);
        const auto found = std::ranges::lower_bound(senders_, rank);
        if (found == senders_.end() || *found != rank) {
            return std::nullopt;
        }
        const auto sender = static_cast<std::size_t>(found - senders_.begin());
        const std::lock_guard lock(mutex_);
        if (accepted_[sender]) {
            return std::nullopt;
        }
        accepted_[sender] = true;
        return sender;
    }

    grpc::Status receive(std::size_t sender, IncomingStream& stream) {
        wire::Chunk chunk;
        wire::Added added;
        while (stream.Write(added) && stream.Read(&chunk)) {
            if (const auto problem = problem_of(chunk, added.chunks())) {
                const std::string words = fmt::format("rank {}: {}", senders_[sender], *problem);
                inbox_.end(sender, "transport grpc: " + words);
                return {grpc::StatusCode::INVALID_ARGUMENT, words};
            }
            if (!inbox_.hand_over({sender, chunk.first(), elements_of(chunk)})) {
                return {grpc::StatusCode::ABORTED, "the receiver has ended"};
            }
            added.set_chunks(added.chunks() + 1);
        }
        inbox_.end(sender, fmt::format("transport grpc: rank {} has closed its stream before its "
                                       "last chunk",
                                       senders_[sender]));
        return grpc::Status::OK;
    }

    /// Why it is not the chunk of that number, or nothing.
    [[nodiscard]] std::optional<std::string> problem_of(const wire::Chunk& chunk,
                                                        std::int64_t number) const {
        constexpr auto element = static_cast<std::int64_t>(sizeof(float));
        if (chunks_.count() == 0) {
            return "a chunk, though the target is empty";
        }
        const std::int64_t first = chunks_.first(number) / element;
        const std::int64_t bytes = chunks_.size(number).value;
        const auto found = std::ssize(chunk.elements());
        if (chunk.number() == number && chunk.first() == first && found == bytes) {
            return std::nullopt;
        }
        return fmt::format(
            "chunk {} of {} bytes at element {} (chunk {} of {} bytes at element {} is next)",
            chunk.number(), found, chunk.first(), number, bytes, first);
    }

    GrpcInbox& inbox_;
    const std::string& token_;
    std::vector<int> senders_;
    Chunks chunks_;
    std::mutex mutex_;
    std::vector<bool> accepted_;            ///< by sender
    std::unique_ptr<grpc::Server> server_;  ///< the first to go
};

GrpcReceiver::GrpcReceiver(const std::string& host, std::vector<int> senders, const Chunks& chunks)
    : token_(draw_token()),
      listener_(std::make_unique<Listener>(inbox_, token_, std::move(senders), chunks)),
      exceptions_(std::uncaught_exceptions()) {
    const int port = listener_->listen(host);
    if (port == 0) {
        throw Failure(fmt::format("transport grpc: cannot listen on {}", host));
    }
    address_ = fmt::format("{}:{}", host, port);
}

GrpcReceiver::~GrpcReceiver() {
    const bool unwinds = std::uncaught_exceptions() > exceptions_;
    inbox_.close();
    listener_->shut_down(std::chrono::seconds(unwinds ? 0 : 20));
}

}  // namespace quartet::comm

#include "comm/transport/grpc/grpc_sender.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <chrono>

#include "comm/transport/grpc/grpc_wire.hpp"
#include "core/check.hpp"
#include "grpc_push.grpc.pb.h"

namespace quartet::comm {

namespace {

std::shared_ptr<grpc::Channel> channel_to(const std::string& address, const Chunks& chunks) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(grpc_acknowledgement_limit);
    arguments.SetMaxSendMessageSize(grpc_chunk_limit(chunks));
    // A site's proxy is for the world outside; and each sender has a connection of its own.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

/// The call before its stream in construction, after it in destruction.
struct GrpcSender::Call {
    std::unique_ptr<wire::Adder::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<wire::Chunk, wire::Added>> stream;
    wire::Chunk outgoing;
};

GrpcSender::GrpcSender(const std::string& address, const std::string& token, int rank,
                       const Chunks& chunks)
    : chunks_(chunks), call_(std::make_unique<Call>()) {
    constexpr auto patience = std::chrono::seconds(20);
    const auto channel = channel_to(address, chunks);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + patience)) {
        throw Failure(fmt::format("transport grpc: rank {} cannot connect to {}", rank, address));
    }
    call_->stub = wire::Adder::NewStub(channel);
    call_->context.AddMetadata(grpc_token_key, token);
    call_->context.AddMetadata(grpc_rank_key, fmt::format("{}", rank));
    call_->stream = call_->stub->Push(&call_->context);
    wire::Added accepted;
    if (!call_->stream->Read(&accepted)) {
        fail_as_closed();
    }
}

GrpcSender::~GrpcSender() {
    if (call_->stream) {
        // Whatever was sent has been acknowledged.
        call_->context.TryCancel();
        call_->stream->Finish();
    }
}

void GrpcSender::send(device::View<const float> source) {
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    const std::int64_t first = chunks_.first(sent_) / element;
    const auto elements = source.part(first, chunks_.size(sent_).value / element);
    call_->outgoing.set_first(first);
    call_->outgoing.set_number(sent_);
    call_->outgoing.set_elements(elements.data(), static_cast<std::size_t>(elements.bytes().value));
    if (!call_->stream->Write(call_->outgoing)) {
        fail_as_closed();
    }
    ++sent_;
}

void GrpcSender::await_acknowledgement() {
    wire::Added added;
    if (!call_->stream->Read(&added)) {
        fail_as_closed();
    }
    acknowledged_ = added.chunks();
}

void GrpcSender::fail_as_closed() {
    wire::Added unread;
    while (call_->stream->Read(&unread)) {
    }
    const grpc::Status status = call_->stream->Finish();
    call_->stream.reset();
    throw Failure(fmt::format("transport grpc: the receiver has closed the stream ({})",
                              quotation(status.error_message())));
}

}  // namespace quartet::comm

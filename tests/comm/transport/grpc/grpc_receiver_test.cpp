#include "comm/transport/grpc/grpc_receiver.hpp"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "comm/transport/grpc/grpc_sender.hpp"
#include "comm/transport/grpc/grpc_wire.hpp"
#include "core/message_of.hpp"
#include "grpc_push.grpc.pb.h"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using Vector = std::vector<float>;

constexpr std::int64_t elements = 10;
constexpr std::int64_t chunk_elements = 4;  // chunks of 4, 4 and 2

wire::Chunk message(std::int64_t number, std::int64_t first, std::int64_t size) {
    wire::Chunk chunk;
    chunk.set_number(number);
    chunk.set_first(first);
    const Vector values(static_cast<std::size_t>(size), 1000);
    chunk.set_elements(values.data(), values.size() * sizeof(float));
    return chunk;
}

/// Speaks to a receiver in words of its own, without limits.
class Client {
  public:
    Client(const std::string& address, const std::multimap<std::string, std::string>& metadata) {
        grpc::ChannelArguments arguments;
        arguments.SetMaxSendMessageSize(-1);
        arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        stub_ = wire::Adder::NewStub(
            grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
        for (const auto& [key, value] : metadata) {
            context_.AddMetadata(key, value);
        }
        context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
        stream_ = stub_->Push(&context_);
    }

    /// False where the receiver has ended the stream instead.
    bool is_answered() { return stream_->Read(&added_); }
    bool sends(const wire::Chunk& chunk) { return stream_->Write(chunk) && is_answered(); }
    [[nodiscard]] std::int64_t acknowledged() const { return added_.chunks(); }

    /// How the receiver has ended the stream.
    grpc::Status end() {
        stream_->WritesDone();
        while (is_answered()) {
        }
        return stream_->Finish();
    }

  private:
    std::unique_ptr<wire::Adder::Stub> stub_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<wire::Chunk, wire::Added>> stream_;
    wire::Added added_;
};

/// A receiver of ranks 1 and 2, whose target is zero at first.
class GrpcReceiverTest : public testing::Test {
  protected:
    std::multimap<std::string, std::string> of_rank(int rank) {
        return {{grpc_token_key, receiver.token()}, {grpc_rank_key, std::to_string(rank)}};
    }

    /// Adds a push of each of these senders, in a thread of its own.
    std::future<void> add(std::vector<std::int64_t> pushes) {
        return std::async(std::launch::async, [this, pushes]() mutable {
            for (auto& awaited : pushes) {
                awaited *= chunks.count();
            }
            while (pushes != std::vector<std::int64_t>(pushes.size())) {
                const auto chunk =
                    receiver.inbox().take([&](std::size_t sender) { return pushes[sender] > 0; });
                --pushes[chunk.sender];
                for (std::int64_t index = 0; index < chunk.elements.size(); ++index) {
                    target.at(static_cast<std::size_t>(chunk.first + index)) +=
                        chunk.elements.data()[index];
                }
                receiver.inbox().done(chunk);
            }
        });
    }

    std::future<void> push(GrpcSender& sender, float value) {
        return std::async(std::launch::async, [this, &sender, value] {
            const Vector source(elements, value);
            for (int chunk = 0; chunk < chunks.count(); ++chunk) {
                sender.send({source.data(), std::ssize(source), device::MemoryKind::host});
                sender.await_acknowledgement();
            }
        });
    }

    const Chunks chunks{elements * 4, Bytes{chunk_elements * 4}};
    GrpcReceiver receiver{"127.0.0.1", {1, 2}, chunks};
    Vector target = Vector(elements, 0);
};

TEST_F(GrpcReceiverTest, AddsWhatItsSendersSend) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    GrpcSender two(receiver.address(), receiver.token(), 2, chunks);
    for (int round = 1; round < 3; ++round) {
        auto adding = add({1, 1});
        auto pushing = push(one, 3);
        push(two, 4).get();
        pushing.get();
        adding.get();
        EXPECT_EQ(target, Vector(elements, static_cast<float>(7 * round)));
    }
}

TEST_F(GrpcReceiverTest, WhoeverLacksTheTokenIsRefusedAndTouchesNothing) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    const std::string rank = "2";
    std::string wrong = receiver.token();
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const std::vector<std::multimap<std::string, std::string>> strangers{
        {},
        {{grpc_rank_key, rank}},
        {{grpc_rank_key, rank}, {grpc_token_key, ""}},
        {{grpc_rank_key, rank}, {grpc_token_key, wrong}},
        {{grpc_rank_key, rank}, {grpc_token_key, receiver.token() + "0"}},
        {{grpc_rank_key, rank}, {grpc_token_key, wrong}, {grpc_token_key, receiver.token()}},
        {{grpc_rank_key, rank}, {grpc_token_key, GrpcReceiver("127.0.0.1", {2}, chunks).token()}}};
    for (const auto& metadata : strangers) {
        Client stranger(receiver.address(), metadata);
        EXPECT_FALSE(stranger.sends(message(0, 0, 4)));
        EXPECT_EQ(stranger.end().error_code(), grpc::StatusCode::UNAUTHENTICATED);
    }
    GrpcSender two(receiver.address(), receiver.token(), 2, chunks);
    auto adding = add({1, 1});
    auto pushing = push(one, 1);
    push(two, 2).get();
    pushing.get();
    adding.get();
    EXPECT_THAT(target, Each(3));
    EXPECT_THAT(message_of<Failure>([&] { GrpcSender(receiver.address(), wrong, 1, chunks); }),
                HasSubstr("another token"));
}

TEST_F(GrpcReceiverTest, EachSenderHasOneStreamAndNobodyElseHasOne) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    auto metadata = of_rank(1);
    for (const std::string rank : {"1", "0", "3", "-1", "", "x", "99999999999999999999"}) {
        metadata.find(grpc_rank_key)->second = rank;
        Client other(receiver.address(), metadata);
        EXPECT_FALSE(other.sends(message(0, 0, 4))) << rank;
        EXPECT_EQ(other.end().error_code(), grpc::StatusCode::PERMISSION_DENIED) << rank;
    }
    auto adding = add({1, 0});
    push(one, 5).get();
    adding.get();
    EXPECT_THAT(target, Each(5));
}

TEST_F(GrpcReceiverTest, WhatIsNotTheNextChunkIsRefusedAndEndsTheJobsOfBoth) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    const wire::Chunk wrong[]{message(0, 4, 4),        message(0, -4, 4), message(0, 1, 4),
                              message(0, 1L << 62, 4), message(0, 0, 5),  message(0, 0, 3),
                              message(0, 0, 0),        message(1, 4, 4),  message(-1, 0, 4),
                              message(3, 0, 4)};
    for (const wire::Chunk& chunk : wrong) {
        GrpcReceiver listening("127.0.0.1", {1}, chunks);
        Client sender(listening.address(),
                      {{grpc_token_key, listening.token()}, {grpc_rank_key, "1"}});
        ASSERT_TRUE(sender.is_answered());
        EXPECT_FALSE(sender.sends(chunk));
        const grpc::Status status = sender.end();
        EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
        EXPECT_THAT(status.error_message(), HasSubstr("chunk 0 of 16 bytes at element 0 is next"));
        EXPECT_THAT(
            message_of<Failure>([&] { listening.inbox().take([](std::size_t) { return true; }); }),
            AllOf(HasSubstr("rank 1"), HasSubstr("is next")));
    }
}

TEST_F(GrpcReceiverTest, ARepeatedChunkStandsInForNoOther) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    Client two(receiver.address(), of_rank(2));
    ASSERT_TRUE(two.is_answered());
    auto adding = add({1, 1});
    EXPECT_TRUE(two.sends(message(0, 0, 4)));

    EXPECT_FALSE(two.sends(message(0, 0, 4)));

    EXPECT_EQ(two.end().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THROW(adding.get(), Failure);
    auto rest = add({1, 0});
    push(one, 1).get();
    rest.get();
    EXPECT_EQ(target, (Vector{1001, 1001, 1001, 1001, 1, 1, 1, 1, 1, 1})) << "added once";
}

TEST_F(GrpcReceiverTest, ASendersNextPushWaitsForTheOthersPresentOne) {
    GrpcSender one(receiver.address(), receiver.token(), 1, chunks);
    GrpcSender two(receiver.address(), receiver.token(), 2, chunks);
    auto adding = add({1, 1});
    push(one, 1).get();
    auto early = push(one, 100);
    EXPECT_EQ(early.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    push(two, 2).get();
    adding.get();
    EXPECT_THAT(target, Each(3));
    add({1, 0}).get();
    early.get();
    EXPECT_THAT(target, Each(103));
}

TEST_F(GrpcReceiverTest, MessagesAreBoundedByWhatAChunkNeeds) {
    for (const std::int64_t size : {chunk_elements + 16, std::int64_t{1} << 24}) {
        GrpcReceiver listening("127.0.0.1", {1}, chunks);
        Client sender(listening.address(),
                      {{grpc_token_key, listening.token()}, {grpc_rank_key, "1"}});
        ASSERT_TRUE(sender.is_answered());
        EXPECT_FALSE(sender.sends(message(0, 0, size)));
        EXPECT_EQ(sender.end().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
        EXPECT_THAT(
            message_of<Failure>([&] { listening.inbox().take([](std::size_t) { return true; }); }),
            HasSubstr("before its last chunk"))
            << "it is not waited for";
    }
    EXPECT_LT(grpc_chunk_limit({std::int64_t{1} << 40, gibibytes(1)}), (1LL << 30) + 100);
}

TEST_F(GrpcReceiverTest, AnEmptyTargetTakesNothing) {
    GrpcReceiver listening("127.0.0.1", {1}, Chunks(0, Bytes{16}));
    Client sender(listening.address(), {{grpc_token_key, listening.token()}, {grpc_rank_key, "1"}});
    ASSERT_TRUE(sender.is_answered());
    EXPECT_FALSE(sender.sends(message(0, 0, 0)));
    EXPECT_EQ(sender.end().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(GrpcReceiverTest, AnAddressOfAnotherMachineIsSaid) {
    EXPECT_THAT(message_of<Failure>([&] { GrpcReceiver("192.0.2.1", {1}, chunks); }),
                HasSubstr("cannot listen on 192.0.2.1"));
}

}  // namespace
}  // namespace quartet::comm

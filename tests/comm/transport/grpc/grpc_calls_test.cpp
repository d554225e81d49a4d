#include "comm/transport/grpc/grpc_calls.hpp"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/message_of.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Values = std::vector<std::int64_t>;
using Metadata = std::multimap<std::string, std::string>;

constexpr Bytes largest = bytes_of<std::int64_t>(100000);

/// Speaks to a server in words of its own.
class Stranger {
  public:
    explicit Stranger(const std::string& address)
        : stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())) {}

    /// How the server ends a call with this message.
    grpc::Status call(const Metadata& metadata, const std::string& message) {
        grpc::ClientContext context;
        for (const auto& [key, value] : metadata) {
            context.AddMetadata(key, value);
        }
        context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
        const grpc::Slice slice(message);
        const grpc::ByteBuffer request(&slice, 1);
        grpc::CompletionQueue queue;
        const auto reader = stub_.PrepareUnaryCall(&context, grpc_method, request, &queue);
        reader->StartCall();
        grpc::Status status;
        reader->Finish(&answer_, &status, nullptr);
        void* tag = nullptr;
        bool done = false;
        queue.Next(&tag, &done);
        return status;
    }
    [[nodiscard]] std::size_t answered() const { return answer_.Length(); }

  private:
    grpc::GenericStub stub_;
    grpc::ByteBuffer answer_;
};

constexpr GrpcMessage message_number(std::int64_t number) {
    return {.to = 1, .lane = 2, .number = number};
}

std::string message_of_request(std::int64_t number, std::int64_t size) {
    const GrpcRequest request{message_number(number), size};
    return {reinterpret_cast<const char*>(&request), sizeof request};
}

/// A server that offers three messages: longer values, shorter ones, and none.
class GrpcCallsTest : public testing::Test {
  protected:
    GrpcCallsTest() {
        for (std::int64_t number = 0; number < 3; ++number) {
            offer(*server, number, number);
        }
    }
    void offer(GrpcEndpoint& to, std::int64_t number, std::int64_t item) {
        const Values& values = items[static_cast<std::size_t>(item)];
        to.offer(message_number(number),
                 device::as_bytes(device::View<const std::int64_t>(
                     values.data(), std::ssize(values), device::MemoryKind::host)));
    }
    std::unique_ptr<GrpcFetch> fetch(GrpcClient& client, std::int64_t number, Values& target) {
        return client.fetch(message_number(number),
                            device::as_bytes(device::View<std::int64_t>(
                                target.data(), std::ssize(target), device::MemoryKind::host)));
    }
    Metadata with_token(const std::string& token) { return {{grpc_token_key, token}}; }

    GrpcEndpoint receiver{"127.0.0.1"};
    Values items[3] = {Values(100000, 7), Values(1000, 8), {}};
    std::optional<GrpcEndpoint> server{std::in_place, "127.0.0.1"};
};

TEST_F(GrpcCallsTest, GivesWhatIsFetchedSeveralAtATime) {
    GrpcClient one(receiver, server->address(), server->token(), largest);
    GrpcClient other(receiver, server->address(), server->token(), largest);
    Values targets[3] = {Values(100000), Values(1000), {}};
    const auto longer = fetch(one, 0, targets[0]);
    const auto shorter = fetch(other, 1, targets[1]);
    const auto nothing = fetch(one, 2, targets[2]);
    for (GrpcFetch* each : {nothing.get(), shorter.get(), longer.get()}) {
        each->wait();
    }
    EXPECT_EQ(targets[0], items[0]);
    EXPECT_EQ(targets[1], items[1]);
    for (std::int64_t number = 0; number < 3; ++number) {
        server->wait_until_taken(message_number(number));
    }
}

TEST_F(GrpcCallsTest, AMessageMayBeAskedForBeforeItIsThere) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    for (std::int64_t number = 3; number < 200; ++number) {
        Values target(1000);
        const auto early = fetch(client, number, target);
        offer(*server, number, 1);
        early->wait();
        server->wait_until_taken(message_number(number));
        EXPECT_EQ(target, items[1]);
    }
}

TEST_F(GrpcCallsTest, WhoWaitsForAServerThatGoesIsTold) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    Values target(1000);
    const auto early = fetch(client, 3, target);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.reset();
    EXPECT_THAT(message_of<Failure>([&] { early->wait(); }), HasSubstr("cannot fetch from"));
}

TEST_F(GrpcCallsTest, WhoeverLacksTheTokenIsRefusedUnread) {
    std::string wrong = server->token();
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const GrpcEndpoint another("127.0.0.1");
    const std::vector<Metadata> refused{
        {},
        with_token(""),
        with_token(wrong),
        with_token(server->token() + "0"),
        with_token(another.token()),
        {{grpc_token_key, wrong}, {grpc_token_key, server->token()}}};
    Stranger stranger(server->address());
    for (const Metadata& metadata : refused) {
        const grpc::Status status = stranger.call(metadata, message_of_request(1, 8000));
        EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
        EXPECT_EQ(stranger.answered(), 0U);
    }
    EXPECT_TRUE(stranger.call(with_token(server->token()), message_of_request(1, 8000)).ok());
    EXPECT_EQ(stranger.answered(), 8000U);

    GrpcClient client(receiver, server->address(), wrong, largest);
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                AllOf(HasSubstr("another token"), HasSubstr("127.0.0.1")));
}

TEST_F(GrpcCallsTest, MessagesThatAreNoRequestsAreRefused) {
    Stranger stranger(server->address());
    const Metadata metadata = with_token(server->token());
    const std::string request = message_of_request(1, 8000);
    for (const std::string& message : {std::string(), request.substr(1)}) {
        EXPECT_EQ(stranger.call(metadata, message).error_code(),
                  grpc::StatusCode::INVALID_ARGUMENT);
    }
    for (const std::string& message : {request + "x", std::string(1 << 20, 'x')}) {
        EXPECT_EQ(stranger.call(metadata, message).error_code(),
                  grpc::StatusCode::RESOURCE_EXHAUSTED);
    }
}

TEST_F(GrpcCallsTest, AMessageOfAnotherSizeIsSaidToBothSides) {
    GrpcClient client(receiver, server->address(), server->token(), bytes_of<std::int64_t>(1000));
    Values target(999);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                HasSubstr("a message of 8000 bytes was sent, where 7992 are expected"));
    server->wait_until_taken(message_number(1));
    Values longer(100000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 0, longer)->wait(); }),
                HasSubstr("larger than max"));
    EXPECT_EQ(target, Values(999));
}

TEST_F(GrpcCallsTest, AServerThatHasGoneIsAFailure) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    server.reset();
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                HasSubstr("cannot fetch from"));
}

TEST_F(GrpcCallsTest, WhatNobodyWaitsForIsGivenUp) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    Values target(1000);
    auto fetching = fetch(client, 3, target);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fetching.reset();
    offer(*server, 3, 1);
    server->wait_until_taken(message_number(3));
    EXPECT_EQ(target, Values(1000));
}

TEST_F(GrpcCallsTest, AnAddressOfAnotherMachineIsSaid) {
    EXPECT_THAT(message_of<Failure>([] { GrpcEndpoint("192.0.2.1"); }),
                HasSubstr("cannot listen on 192.0.2.1"));
}

TEST(GrpcToken, IsDrawnAnewEachTime) {
    std::set<std::string> tokens;
    for (int count = 0; count < 100; ++count) {
        const std::string token = draw_token();
        EXPECT_EQ(token.size(), 64U);
        EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
        tokens.insert(token);
    }
    EXPECT_EQ(tokens.size(), 100U);
}

TEST(GrpcToken, IsTheSameInEachCharacterOrNot) {
    const std::string token = draw_token();
    EXPECT_TRUE(is_same_token(token, token.substr(0)));
    EXPECT_FALSE(is_same_token(token, ""));
    EXPECT_FALSE(is_same_token("", token));
    EXPECT_FALSE(is_same_token(token, token + "0"));
    EXPECT_FALSE(is_same_token(token, token.substr(1)));
    for (std::size_t index = 0; index < token.size(); ++index) {
        std::string other = token;
        other[index] = 'x';
        EXPECT_FALSE(is_same_token(token, other)) << index;
        EXPECT_FALSE(is_same_token(other, token)) << index;
    }
}

}  // namespace
}  // namespace quartet::comm

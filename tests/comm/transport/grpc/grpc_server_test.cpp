#include "comm/transport/grpc/grpc_server.hpp"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "comm/transport/grpc/grpc_client.hpp"
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

std::string message_of_request(std::int64_t item, std::int64_t size) {
    const GrpcRequest request{item, size};
    return {reinterpret_cast<const char*>(&request), sizeof request};
}

/// A server that offers three items: longer values, shorter ones, and none.
class GrpcServerTest : public testing::Test {
  protected:
    std::optional<device::View<const std::byte>> offered(const GrpcRequest& request) {
        ++requests;
        if (request.item < 0 || request.item > 2) {
            return std::nullopt;
        }
        Values& values = items[static_cast<std::size_t>(request.item)];
        return device::as_bytes(device::View<const std::int64_t>(values.data(), std::ssize(values),
                                                                 device::MemoryKind::host));
    }
    std::unique_ptr<GrpcFetch> fetch(GrpcClient& client, std::int64_t item, Values& target) {
        return client.fetch(
            item, device::as_bytes(device::View<std::int64_t>(target.data(), std::ssize(target),
                                                              device::MemoryKind::host)));
    }
    Metadata with_token(const std::string& token) { return {{grpc_token_key, token}}; }

    std::atomic<int> requests = 0;
    GrpcReceiver receiver;
    Values items[3] = {Values(100000, 7), Values(1000, 8), {}};
    std::optional<GrpcServer> server{
        std::in_place, "127.0.0.1",
        [this](const GrpcRequest& request) { return offered(request); }};
};

TEST_F(GrpcServerTest, GivesWhatIsFetchedSeveralAtATime) {
    GrpcClient one(receiver, server->address(), server->token(), largest);
    GrpcClient other(receiver, server->address(), server->token(), largest);
    Values targets[3] = {Values(100000), Values(1000), Values(100000)};
    const auto longer = fetch(one, 0, targets[0]);
    const auto shorter = fetch(one, 1, targets[1]);
    const auto of_other = fetch(other, 0, targets[2]);
    for (GrpcFetch* each : {of_other.get(), shorter.get(), longer.get()}) {
        each->wait();
    }
    EXPECT_EQ(targets[0], items[0]);
    EXPECT_EQ(targets[1], items[1]);
    EXPECT_EQ(targets[2], items[0]);
    Values nothing;
    EXPECT_NO_THROW(fetch(one, 2, nothing)->wait());
}

TEST_F(GrpcServerTest, WhoeverLacksTheTokenIsRefusedUnread) {
    std::string wrong = server->token();
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const GrpcServer another("127.0.0.1", [](const GrpcRequest&) { return std::nullopt; });
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
    EXPECT_EQ(requests, 0);
    EXPECT_TRUE(stranger.call(with_token(server->token()), message_of_request(1, 8000)).ok());
    EXPECT_EQ(stranger.answered(), 8000U);

    GrpcClient client(receiver, server->address(), wrong, largest);
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                AllOf(HasSubstr("another token"), HasSubstr("127.0.0.1")));
}

TEST_F(GrpcServerTest, MessagesThatAreNoRequestsAreRefused) {
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
    EXPECT_EQ(requests, 0);
}

TEST_F(GrpcServerTest, WhatIsNotOfferedIsSaidToTheClient) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    Values target(1000);
    for (const std::int64_t item : {-1, 3}) {
        EXPECT_THAT(message_of<Failure>([&] { fetch(client, item, target)->wait(); }),
                    HasSubstr("no such bytes are offered"));
    }
}

TEST_F(GrpcServerTest, AnAnswerOfAnotherSizeTouchesNothing) {
    GrpcClient client(receiver, server->address(), server->token(), bytes_of<std::int64_t>(1000));
    Values target(999);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                HasSubstr("8000 bytes came, where 7992 are"));
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 0, target)->wait(); }),
                HasSubstr("larger than max"));
    EXPECT_EQ(target, Values(999));
}

TEST_F(GrpcServerTest, AServerThatHasGoneIsAFailure) {
    GrpcClient client(receiver, server->address(), server->token(), largest);
    server.reset();
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                HasSubstr("cannot fetch from"));
}

TEST_F(GrpcServerTest, WhatNobodyWaitsForIsGivenUp) {
    std::promise<void> asked;
    std::promise<void> go_on;
    GrpcServer slow("127.0.0.1", [&](const GrpcRequest& request) {
        asked.set_value();
        go_on.get_future().wait();
        return offered(request);
    });
    GrpcClient client(receiver, slow.address(), slow.token(), largest);
    Values target(1000);
    auto fetching = fetch(client, 1, target);
    asked.get_future().wait();
    fetching.reset();
    EXPECT_EQ(target, Values(1000));
    go_on.set_value();
}

TEST_F(GrpcServerTest, AnAddressOfAnotherMachineIsSaid) {
    EXPECT_THAT(message_of<Failure>([] { GrpcServer("192.0.2.1", {}); }),
                HasSubstr("cannot listen on 192.0.2.1"));
}

}  // namespace
}  // namespace quartet::comm

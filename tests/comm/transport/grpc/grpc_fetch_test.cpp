#include "comm/transport/grpc/grpc_fetch.hpp"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <future>
#include <string>
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
    Values items[3] = {Values(100000, 7), Values(1000, 8), {}};
    std::optional<GrpcServer> server{
        std::in_place, "127.0.0.1",
        [this](const GrpcRequest& request) { return offered(request); }};
};

TEST_F(GrpcServerTest, GivesWhatIsFetchedSeveralAtATime) {
    GrpcClient one(server->address(), server->token(), largest);
    GrpcClient other(server->address(), server->token(), largest);
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

    GrpcClient client(server->address(), wrong, largest);
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                AllOf(HasSubstr("another token"), HasSubstr("127.0.0.1")));
}

TEST_F(GrpcServerTest, AServerThatHasGoneIsAFailure) {
    GrpcClient client(server->address(), server->token(), largest);
    server.reset();
    Values target(1000);
    EXPECT_THAT(message_of<Failure>([&] { fetch(client, 1, target)->wait(); }),
                HasSubstr("cannot fetch from"));
}

TEST_F(GrpcServerTest, TokensDifferAndAreComparedInEachCharacter) {
    const std::string token = server->token();
    EXPECT_EQ(token.size(), 64U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
    EXPECT_NE(token, GrpcServer("127.0.0.1", nullptr).token());
    EXPECT_TRUE(is_same_token(token, token.substr(0)));
    for (const std::string& other : {std::string(), token + "0", token.substr(1)}) {
        EXPECT_FALSE(is_same_token(token, other));
    }
    for (std::size_t index = 0; index < token.size(); ++index) {
        std::string other = token;
        other[index] = 'x';
        EXPECT_FALSE(is_same_token(token, other)) << index;
    }
}

}  // namespace
}  // namespace quartet::comm

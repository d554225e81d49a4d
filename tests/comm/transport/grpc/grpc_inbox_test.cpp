#include "comm/transport/grpc/grpc_inbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>

#include "core/message_of.hpp"

namespace quartet::comm {

namespace {

class GrpcInboxTest : public testing::Test {
  protected:
    /// Hands a chunk that begins at `first` over in a thread of its own.
    std::future<bool> hand_over(std::int64_t first, std::size_t sender = 0) {
        return std::async(std::launch::async, [this, first, sender] {
            return inbox.hand_over(
                {sender, first, {elements.data(), std::ssize(elements), device::MemoryKind::host}});
        });
    }
    /// Of any sender.
    GrpcInbox::Chunk take() {
        return inbox.take([](std::size_t) { return true; });
    }
    static bool waits(std::future<bool>& handing) {
        return handing.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout;
    }

    std::array<const float, 3> elements{1, 2, 3};
    GrpcInbox inbox;
};

TEST_F(GrpcInboxTest, HandOverWaitsUntilTheChunkIsAdded) {
    auto handing = hand_over(7);

    const GrpcInbox::Chunk chunk = take();

    EXPECT_EQ(chunk.first, 7);
    EXPECT_EQ(chunk.elements.data(), elements.data());
    EXPECT_TRUE(waits(handing));
    inbox.done(chunk);
    EXPECT_TRUE(handing.get());
}

TEST_F(GrpcInboxTest, AddingAChunkReleasesItsOwnSenderOnly) {
    auto one = hand_over(1);
    const GrpcInbox::Chunk of_one = take();
    auto other = hand_over(2);
    const GrpcInbox::Chunk of_other = take();

    inbox.done(of_other);

    EXPECT_TRUE(other.get());
    EXPECT_TRUE(waits(one));
    inbox.done(of_one);
    EXPECT_TRUE(one.get());
}

TEST_F(GrpcInboxTest, ChunksOfSendersThatAreNotAwaitedStay) {
    auto early = hand_over(1, 0);
    EXPECT_TRUE(waits(early));
    auto awaited = hand_over(2, 1);

    const GrpcInbox::Chunk chunk = inbox.take([](std::size_t sender) { return sender == 1; });

    EXPECT_EQ(chunk.sender, 1U);
    EXPECT_EQ(chunk.first, 2);
    inbox.done(chunk);
    EXPECT_TRUE(awaited.get());
    EXPECT_TRUE(waits(early));
    inbox.done(take());
    EXPECT_TRUE(early.get());
}

TEST_F(GrpcInboxTest, ASenderThatHasEndedIsAFailureWhereItIsAwaited) {
    auto handing = hand_over(1, 0);
    EXPECT_TRUE(waits(handing));
    inbox.end(1, "sender 1 has gone");

    inbox.done(inbox.take([](std::size_t sender) { return sender == 0; }));
    EXPECT_TRUE(handing.get());
    EXPECT_EQ(message_of<Failure>([&] { take(); }), "sender 1 has gone");
}

TEST_F(GrpcInboxTest, ASenderThatEndsIsNotWaitedFor) {
    auto taking = std::async(std::launch::async, [this] { take(); });
    EXPECT_EQ(taking.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);

    inbox.end(0, "gone");

    EXPECT_THROW(taking.get(), Failure);
}

TEST_F(GrpcInboxTest, ClosingLetsAllGoWithoutAdding) {
    auto handing = hand_over(1);
    EXPECT_TRUE(waits(handing));

    inbox.close();

    EXPECT_FALSE(handing.get());
    EXPECT_FALSE(hand_over(2).get());
}

}  // namespace

}  // namespace quartet::comm

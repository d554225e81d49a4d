#include "comm/transport/grpc/grpc_inbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>

namespace quartet::comm {

namespace {

class GrpcInboxTest : public testing::Test {
  protected:
    /// Hands a chunk that begins at `first` over in a thread of its own.
    std::future<bool> hand_over(std::int64_t first) {
        return std::async(std::launch::async, [this, first] {
            return inbox.hand_over(
                {first, {elements.data(), std::ssize(elements), device::MemoryKind::host}});
        });
    }
    static bool waits(std::future<bool>& handing) {
        return handing.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout;
    }

    std::array<const float, 3> elements{1, 2, 3};
    GrpcInbox inbox;
};

}  // namespace

TEST_F(GrpcInboxTest, HandOverWaitsUntilTheChunkIsAdded) {
    auto handing = hand_over(7);

    const GrpcInbox::Chunk chunk = inbox.take();

    EXPECT_EQ(chunk.first, 7);
    EXPECT_EQ(chunk.elements.data(), elements.data());
    EXPECT_TRUE(waits(handing));
    inbox.done(chunk);
    EXPECT_TRUE(handing.get());
}

TEST_F(GrpcInboxTest, AddingAChunkReleasesItsOwnSenderOnly) {
    auto one = hand_over(1);
    const GrpcInbox::Chunk of_one = inbox.take();
    auto other = hand_over(2);
    const GrpcInbox::Chunk of_other = inbox.take();

    inbox.done(of_other);

    EXPECT_TRUE(other.get());
    EXPECT_TRUE(waits(one));
    inbox.done(of_one);
    EXPECT_TRUE(one.get());
}

TEST_F(GrpcInboxTest, ClosingLetsAllGoWithoutAdding) {
    auto handing = hand_over(1);
    EXPECT_TRUE(waits(handing));

    inbox.close();

    EXPECT_FALSE(handing.get());
    EXPECT_FALSE(hand_over(2).get());
}

}  // namespace quartet::comm

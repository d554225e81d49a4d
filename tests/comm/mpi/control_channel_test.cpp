#include "comm/mpi/control_channel.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"

namespace quartet::comm {
namespace {

std::vector<std::byte> bytes(std::size_t size, int first) {
    std::vector<std::byte> result(size);
    for (std::size_t i = 0; i < size; ++i) {
        result[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + i);
    }
    return result;
}

class ControlChannelTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    ControlChannel channel{world};
};

ControlMessage wait_for_message(ControlChannel& channel) {
    for (;;) {
        if (auto message = channel.poll()) {
            return *std::move(message);
        }
    }
}

TEST_F(ControlChannelTest, DeliversSourceKindAndPayload) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    channel.send(next, 32767, bytes(ControlChannel::largest_payload, rank));
    const auto message = wait_for_message(channel);
    EXPECT_EQ(message.source, previous);
    EXPECT_EQ(message.kind, 32767);
    EXPECT_EQ(message.payload, bytes(ControlChannel::largest_payload, previous));
}

TEST_F(ControlChannelTest, AllMaySendALotBeforeAnyoneReceives) {
    constexpr int messages = 500;
    for (int i = 0; i < messages; ++i) {
        for (int to = 0; to < size; ++to) {
            channel.send(to, i, bytes(ControlChannel::largest_payload, i));
        }
    }
    std::vector<int> received(static_cast<std::size_t>(size));
    for (int i = 0; i < messages * size; ++i) {
        const auto message = wait_for_message(channel);
        EXPECT_EQ(message.kind, received[static_cast<std::size_t>(message.source)]++);
        EXPECT_EQ(message.payload, bytes(ControlChannel::largest_payload, message.kind));
    }
    EXPECT_EQ(received, std::vector<int>(received.size(), messages));
}

TEST_F(ControlChannelTest, RefusesWhatCannotBeSent) {
    const auto large = bytes(ControlChannel::largest_payload + 1, 0);
    EXPECT_THROW(channel.send(rank, 0, large), Failure);
    EXPECT_THROW(channel.send(rank, -1), Failure);
    EXPECT_THROW(channel.send(rank, 32768), Failure);
    EXPECT_THROW(channel.send(size, 0), Failure);
    EXPECT_THROW(channel.send(-1, 0), Failure);
    world.barrier();
    EXPECT_FALSE(channel.poll().has_value());
    world.barrier();
}

}  // namespace
}  // namespace quartet::comm

#include "comm/mpi/control_channel.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

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

std::vector<std::byte> number(int value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    return {raw.begin(), raw.end()};
}

int as_number(const ControlMessage& message) {
    int value = -1;
    EXPECT_EQ(message.payload.size(), sizeof(value));
    if (message.payload.size() == sizeof(value)) {
        std::memcpy(&value, message.payload.data(), sizeof(value));
    }
    return value;
}

class ControlChannelTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    ControlChannel channel{world};
};

TEST_F(ControlChannelTest, DeliversSourceKindAndPayload) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    channel.send(next, 32767, bytes(ControlChannel::largest_payload, rank));
    const auto message = channel.receive();
    EXPECT_EQ(message.source, previous);
    EXPECT_EQ(message.kind, 32767);
    EXPECT_EQ(message.payload, bytes(ControlChannel::largest_payload, previous));
}

TEST_F(ControlChannelTest, PollTakesEachMessageOnce) {
    channel.send(rank, 4);
    std::optional<ControlMessage> message;
    while (!message) {
        message = channel.poll();
    }
    EXPECT_EQ(message->source, rank);
    EXPECT_EQ(message->kind, 4);
    EXPECT_TRUE(message->payload.empty());
    EXPECT_FALSE(channel.poll().has_value());
}

TEST_F(ControlChannelTest, CollectsFromAllRanksInEachOnesOrder) {
    constexpr int messages = 200;
    for (int i = 0; i < messages; ++i) {
        channel.send(0, 1, number(i));
    }
    if (rank == 0) {
        std::map<int, int> next;
        for (int i = 0; i < messages * size; ++i) {
            const auto message = channel.receive();
            EXPECT_EQ(as_number(message), next[message.source]++);
        }
        EXPECT_EQ(std::ssize(next), size);
    }
    world.barrier();
}

TEST_F(ControlChannelTest, AllMaySendALotBeforeAnyoneReceives) {
    constexpr int messages = 500;
    for (int i = 0; i < messages; ++i) {
        for (int to = 0; to < size; ++to) {
            channel.send(to, i, bytes(ControlChannel::largest_payload, i));
        }
    }
    for (int i = 0; i < messages; ++i) {
        for (int from = 0; from < size; ++from) {
            EXPECT_EQ(channel.receive(from, i).payload, bytes(ControlChannel::largest_payload, i));
        }
    }
}

TEST_F(ControlChannelTest, RefusesWhatCannotBeSent) {
    const auto large = bytes(ControlChannel::largest_payload + 1, 0);
    EXPECT_THROW(channel.send(rank, 0, large), Failure);
    EXPECT_THROW(channel.send(rank, -1), Failure);
    EXPECT_THROW(channel.send(rank, 32768), Failure);
    EXPECT_THROW(channel.send(size, 0), Failure);
    EXPECT_THROW(channel.send(-1, 0), Failure);
    EXPECT_THROW(channel.receive(size, 0), Failure);
    EXPECT_THROW(channel.receive(-1, 0), Failure);
    EXPECT_THROW(channel.receive(rank, -1), Failure);
    world.barrier();
    EXPECT_FALSE(channel.poll().has_value());
    world.barrier();
}

}  // namespace
}  // namespace quartet::comm

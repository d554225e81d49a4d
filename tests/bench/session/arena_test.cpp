#include "bench/session/arena.hpp"

#include <gtest/gtest.h>

#include "core/trace.hpp"
#include "device/host/host_device.hpp"

namespace quartet::bench {
namespace {

TEST(Arena, HandsOutSizesWithoutMemoryWhereItCounts) {
    Arena arena;

    const auto own = arena.make<double>(3);
    const auto window = arena.make<double>(7, Room::device_window);
    const auto alone = arena.make_vector<float>(5);
    arena.count(Bytes{11}, Room::host_window);

    EXPECT_EQ(own.size(), 3);
    EXPECT_EQ(own.view().data(), nullptr);
    EXPECT_EQ(window.size(), 7);
    EXPECT_TRUE(alone.empty());
    EXPECT_EQ(arena.device(), Bytes{3 * 8 + 7 * 8});
    EXPECT_EQ(arena.host(), Bytes{5 * 4 + 11});
    EXPECT_EQ(arena.in(Room::device_window), Bytes{7 * 8});
}

TEST(Arena, AllocatesWhatItWouldHaveCounted) {
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    Arena arena(*device);

    const auto own = arena.make<double>(3);
    const auto pinned = arena.make<float>(5, Room::host);
    const auto alone = arena.make_vector<float>(4);

    EXPECT_EQ(own.size(), 3);
    EXPECT_NE(own.view().data(), nullptr);
    EXPECT_EQ(own.view().kind(), device::MemoryKind::host);
    EXPECT_EQ(pinned.view().kind(), device::MemoryKind::pinned);
    EXPECT_EQ(alone.size(), 4U);
    EXPECT_EQ(arena.device(), Bytes{3 * 8});
    EXPECT_EQ(arena.host(), Bytes{9 * 4});
}

TEST(Arena, CountsWholeBlocksOfWindowsThatOthersMap) {
    Arena part;
    part.make<std::byte>(0, Room::device_window);
    Arena arena;
    arena.make<std::byte>(5);
    arena.count(Bytes{7}, Room::host_window);
    arena.make<std::byte>(100, Room::device_window);
    arena.make<std::byte>(101, Room::device_window);
    arena.count(part);

    EXPECT_EQ(arena.device().value, 5 + 201);
    EXPECT_EQ(arena.device_in_blocks({100}).value, 5 + 100 + 200 + 100);
}

TEST(Arena, HasNoWindowsWithoutATransport) {
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    Arena arena(*device);

    EXPECT_THROW(arena.make<float>(1, Room::device_window), Failure);
    EXPECT_THROW(arena.make<float>(1, Room::host_window), Failure);
}

}  // namespace
}  // namespace quartet::bench

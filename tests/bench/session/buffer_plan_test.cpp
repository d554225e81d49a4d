#include "bench/session/buffer_plan.hpp"

#include <gtest/gtest.h>

#include "core/trace.hpp"
#include "device/host/host_device.hpp"

namespace quartet::bench {
namespace {

TEST(BufferPlan, SumsWhatIsAddedByRoom) {
    BufferPlan plan;
    plan.add<double>(3);
    plan.add<float>(5, Room::host);
    plan.add<double>(7, Room::device_window);
    plan.add(Bytes{11}, Room::host_window);

    EXPECT_EQ(plan.device(), Bytes{3 * 8 + 7 * 8});
    EXPECT_EQ(plan.host(), Bytes{5 * 4 + 11});
    EXPECT_EQ(plan.in(Room::device_window), Bytes{7 * 8});
    EXPECT_EQ(plan.in(Room::host_window), Bytes{11});
}

TEST(BufferPlan, CountsWholeBlocksOfWindowsThatOthersMap) {
    BufferPlan part;
    part.add<std::byte>(0, Room::device_window);
    BufferPlan plan;
    plan.add<std::byte>(5);
    plan.add<std::byte>(7, Room::host_window);
    plan.add<std::byte>(100, Room::device_window);
    plan.add<std::byte>(101, Room::device_window);
    plan.add(part);

    EXPECT_EQ(plan.device().value, 5 + 201);
    EXPECT_EQ(plan.device_in_blocks({100}).value, 5 + 100 + 200 + 100);
}

TEST(BufferPlan, AllocatesWhatItHasCounted) {
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    BufferPlan plan;

    const auto own = allocate(plan.add<double>(3), *device);
    const auto pinned = allocate(plan.add<float>(5, Room::host), *device);

    EXPECT_EQ(own.size(), 3);
    EXPECT_EQ(own.view().kind(), device::MemoryKind::host);
    EXPECT_EQ(pinned.size(), 5);
    EXPECT_EQ(pinned.view().kind(), device::MemoryKind::pinned);
    EXPECT_THROW(allocate(plan.add<float>(1, Room::host_window), *device), Failure);
}

}  // namespace
}  // namespace quartet::bench

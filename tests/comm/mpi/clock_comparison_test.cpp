#include "comm/mpi/clock_comparison.hpp"

#include <gtest/gtest.h>

namespace quartet::comm {
namespace {

// What ranks that share few cores may have to wait for each other.
constexpr double tolerance = 0.05;

TEST(CompareWithRoot, FindsNoDifferenceOnOneNode) {
    const auto world = Communicator::world();
    const Seconds before = now();
    const ClockReading reading = compare_with_root(world);
    EXPECT_NEAR(reading.ahead.value, 0, tolerance);
    EXPECT_GE(reading.at, before);
    EXPECT_LE(reading.at, now());
}

TEST(CompareWithRoot, FindsHowFarTheRootsClockIsAhead) {
    const auto world = Communicator::world();
    const Seconds wrong{100.0 * (world.rank() + 1)};
    const ClockReading reading = compare_with_root(world, [&] { return now() - wrong; });
    EXPECT_NEAR(reading.ahead.value, 100.0 * world.rank(), tolerance);
}

}  // namespace
}  // namespace quartet::comm

#include "comm/mpi/clock_comparison.hpp"

#include <gtest/gtest.h>

namespace quartet::comm {
namespace {

// What ranks that share few cores may have to wait for each other.
constexpr double tolerance = 0.05;

TEST(CompareWithRoot, FindsHowFarTheRootsClockIsAhead) {
    const auto world = Communicator::world();
    const Seconds wrong{100.0 * (world.rank() + 1)};
    const ClockReading reading = compare_with_root(world, [&] { return now() - wrong; });
    EXPECT_NEAR(reading.ahead.value, 100.0 * world.rank(), tolerance);
}

// Of the first in a group by rank 0, of the others by their first.
TEST(CompareWithRoot, AddsUpDifferencesInGroups) {
    const auto world = Communicator::world();
    const Seconds wrong{100.0 * (world.rank() + 1)};
    for (const int group : {1, 2, 3, 100}) {
        const ClockReading reading = compare_with_root(
            world, [&] { return now() - wrong; }, group);
        EXPECT_NEAR(reading.ahead.value, 100.0 * world.rank(), tolerance) << group;
    }
}

}  // namespace
}  // namespace quartet::comm

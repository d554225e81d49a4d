#include "system/clock_probe.hpp"

#include <gtest/gtest.h>

namespace quartet::system {
namespace {

// A loop that the compiler has removed takes none; no core does 120000 in so little.
TEST(ClockProbe, TakesItsTime) {
    for (const int threads : {1, 3}) {
        EXPECT_GT(probe_clock(threads).value, 10e-6);
    }
}

}  // namespace
}  // namespace quartet::system

#include "device/core_loop.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

// A loop that the compiler has removed takes none; no core does 120000 in so little.
TEST(CoreLoop, TakesItsTime) {
    for (const int threads : {1, 3}) {
        EXPECT_GT(time_core_loop(threads).value, 10e-6);
    }
}

}  // namespace
}  // namespace quartet::device

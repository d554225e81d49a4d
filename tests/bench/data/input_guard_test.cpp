#include "bench/data/input_guard.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace quartet::bench {
namespace {

class InputGuardTest : public testing::Test {
  protected:
    InputGuardTest() {
        guard.remember(view(first));
        guard.remember(view(second));
    }
    static device::View<const double> view(const std::vector<double>& memory) {
        return {memory.data(), std::ssize(memory), device::MemoryKind::host};
    }

    const comm::Communicator world = comm::Communicator::world();
    std::vector<double> first = std::vector<double>(1000, 1.5);
    std::vector<double> second = std::vector<double>(10, 2.5);
    InputGuard guard{2};
    const Check sound{.passed = true, .error = 0.5, .tolerance = 1};
};

TEST_F(InputGuardTest, LeavesTheCheckOfInputThatIsTheSame) {
    const Check check = guard.judge(sound, world);
    EXPECT_TRUE(check.passed);
    EXPECT_EQ(check.why, "");
    EXPECT_EQ(check.error, 0.5);
    EXPECT_FALSE(guard.judge({.passed = false, .error = 2, .tolerance = 1}, world).passed);
}

TEST_F(InputGuardTest, FailsOnAllRanksWhereOneRanksLowestBitFlips) {
    if (world.rank() == world.size() - 1) {
        *reinterpret_cast<unsigned char*>(&second.back()) ^= 1U;
    }
    const Check check = guard.judge(sound, world);
    EXPECT_FALSE(check.passed);
    EXPECT_THAT(check.why, testing::HasSubstr("changed"));
}

}  // namespace
}  // namespace quartet::bench

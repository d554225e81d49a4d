#include "comm/signal_flag.hpp"

#include <gtest/gtest.h>

#include "comm/communicator.hpp"
#include "core/check.hpp"

namespace quartet::comm {
namespace {

// Counts signals that reach the handler from before a SignalFlag. Signal handlers have no
// argument of ours.
volatile std::sig_atomic_t earlier_handler_calls = 0;
extern "C" {
static void count_signal(int) {
    earlier_handler_calls = earlier_handler_calls + 1;
}
}

TEST(SignalFlag, IsRaisedByTheSignalOnly) {
    const SignalFlag flag;
    EXPECT_FALSE(flag.raised());
    std::raise(SIGUSR1);
    EXPECT_TRUE(flag.raised());
    EXPECT_TRUE(flag.raised()) << "it stays raised";
}

TEST(SignalFlag, StartsLoweredAfterAnEarlierOneWasRaised) {
    {
        const SignalFlag first;
        std::raise(SIGUSR1);
    }
    const SignalFlag second;
    EXPECT_FALSE(second.raised());
}

TEST(SignalFlag, PutsTheEarlierHandlerBack) {
    struct sigaction found {};
    struct sigaction counting {};
    counting.sa_handler = count_signal;
    sigaction(SIGUSR1, &counting, &found);
    {
        const SignalFlag flag;
        std::raise(SIGUSR1);
        EXPECT_EQ(earlier_handler_calls, 0);
    }
    std::raise(SIGUSR1);
    EXPECT_EQ(earlier_handler_calls, 1);
    sigaction(SIGUSR1, &found, nullptr);
}

TEST(SignalFlag, RefusesASecondOneAtATime) {
    const SignalFlag flag;
    EXPECT_THROW(SignalFlag(), Failure);
    std::raise(SIGUSR1);
    EXPECT_TRUE(flag.raised()) << "the first still works";
}

TEST(SignalFlag, IsThisRanksAloneUntilAgreed) {
    const auto world = Communicator::world();
    const SignalFlag flag;
    world.barrier();
    if (world.rank() == world.size() - 1) {
        std::raise(SIGUSR1);
    }
    EXPECT_EQ(flag.raised(), world.rank() == world.size() - 1);
    EXPECT_TRUE(world.any(flag.raised()));
}

}  // namespace
}  // namespace quartet::comm

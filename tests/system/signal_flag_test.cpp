#include "system/signal_flag.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"

namespace quartet::system {
namespace {

// Counts signals that reach the handler from before a SignalFlag. Signal handlers have no
// argument of ours.
volatile std::sig_atomic_t earlier_handler_calls = 0;
extern "C" {
static void count_signal(int) {
    earlier_handler_calls = earlier_handler_calls + 1;
}
}

TEST(SignalFlag, IsRaisedByTheSignalsOnly) {
    for (const int number : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) {
        const SignalFlag flag;
        EXPECT_FALSE(flag.raised());
        std::raise(number);
        EXPECT_TRUE(flag.raised()) << number;
        EXPECT_TRUE(flag.raised()) << "it stays raised";
    }
}

TEST(SignalFlag, StartsLoweredAfterAnEarlierOneWasRaised) {
    {
        const SignalFlag first;
        std::raise(SIGUSR1);
    }
    const SignalFlag second;
    EXPECT_FALSE(second.raised());
}

TEST(SignalFlag, PutsTheEarlierHandlersBack) {
    for (const int number : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) {
        struct sigaction found {};
        struct sigaction counting {};
        counting.sa_handler = count_signal;
        sigaction(number, &counting, &found);
        earlier_handler_calls = 0;
        {
            const SignalFlag flag;
            std::raise(number);
            EXPECT_EQ(earlier_handler_calls, 0);
        }
        std::raise(number);
        EXPECT_EQ(earlier_handler_calls, 1);
        sigaction(number, &found, nullptr);
    }
}

TEST(SignalFlag, IgnoresWhatComesAfterItWasObeyed) {
    for (const int number : {SIGUSR1, SIGTERM}) {
        struct sigaction found {};
        sigaction(number, nullptr, &found);
        {
            SignalFlag flag;
            std::raise(number);
            flag.ignore_later();
            EXPECT_TRUE(flag.raised());
        }
        std::raise(number);  // or the process ends here
        {
            const SignalFlag next;
            EXPECT_FALSE(next.raised());
            std::raise(number);
            EXPECT_TRUE(next.raised());
        }
        sigaction(number, &found, nullptr);
    }
}

TEST(SignalFlag, LeavesIgnoredWhatNohupIgnores) {
    for (const int number : {SIGINT, SIGHUP}) {
        struct sigaction found {};
        struct sigaction ignoring {};
        ignoring.sa_handler = SIG_IGN;
        sigaction(number, &ignoring, &found);
        {
            const SignalFlag flag;
            std::raise(number);
            EXPECT_FALSE(flag.raised()) << number;
        }
        std::raise(number);  // or the process ends here
        sigaction(number, &found, nullptr);
    }
}

TEST(SignalFlag, RefusesASecondOneAtATime) {
    const SignalFlag flag;
    EXPECT_THROW(SignalFlag(), Failure);
    std::raise(SIGUSR1);
    EXPECT_TRUE(flag.raised()) << "the first still works";
}

}  // namespace
}  // namespace quartet::system

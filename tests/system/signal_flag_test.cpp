#include "system/signal_flag.hpp"

#include <gtest/gtest.h>

namespace quartet::system {
namespace {

TEST(SignalFlag, IsRaisedByTheSignalsOnly) {
    for (const int number : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) {
        const SignalFlag flag;
        EXPECT_FALSE(flag.raised());
        std::raise(number);
        EXPECT_TRUE(flag.raised()) << number;
        EXPECT_TRUE(flag.raised()) << "it stays raised";
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

}  // namespace
}  // namespace quartet::system

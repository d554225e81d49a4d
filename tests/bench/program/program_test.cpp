#include "bench/program/program.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace quartet::bench {
namespace {

TEST(Program, IsEndedByNoSignalFromItsFirstMomentOn) {
    for (const int number : {SIGUSR1, SIGTERM}) {
        struct sigaction found {};
        sigaction(number, nullptr, &found);
        {
            const Program program({.name = "kernel", .summary = "made up"});
            std::raise(number);  // or the process ends here
        }
        std::raise(number);
        sigaction(number, &found, nullptr);
    }
}

}  // namespace
}  // namespace quartet::bench

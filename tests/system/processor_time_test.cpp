#include "system/processor_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

class StolenTime : public FakeSystemFiles {
  protected:
    // -1 if nobody tells.
    [[nodiscard]] double ticks(const std::vector<int>& processors) const {
        const auto time = steal_time(processors, root);
        return time ? time->value * static_cast<double>(sysconf(_SC_CLK_TCK)) : -1;
    }
};

TEST_F(StolenTime, IsOfTheseProcessorsTogether) {
    write("proc/stat",
          "cpu  1 2 3 4 5 6 7 1110 9 10\n"
          "cpu0 1 2 3 4 5 6 7 10 9 10\n"
          "cpu1 1 2 3 4 5 6 7 100 9 10\n"
          "cpu11 1 2 3 4 5 6 7 1000 9 10\n"
          "intr 5 1 2 3 4 5 6 7 8 9\n"
          "cpu2 1 2 3 4 5 6 7 10000 9 10\n");
    EXPECT_DOUBLE_EQ(ticks({0, 1}), 110);
    EXPECT_DOUBLE_EQ(ticks({1}), 100);
    EXPECT_DOUBLE_EQ(ticks({11, 7}), 1000);
    EXPECT_DOUBLE_EQ(ticks({2}), -1) << "processors come first";
}

TEST_F(StolenTime, IsNothingWhereNobodyTells) {
    EXPECT_EQ(ticks({0}), -1) << "no file";
    write("proc/stat", "cpu0 1 2 3 4 5 6 7\ncpu1 1 2 3 4 5 6 7 0 0 0\ncpu\n");
    EXPECT_EQ(ticks({0}), -1) << "Linux before 2.6.11";
    EXPECT_EQ(ticks({1}), -1) << "no virtual machine";
    EXPECT_EQ(ticks({}), -1);
}

using BusyTime = FakeSystemFiles;

TEST_F(BusyTime, IsWhateverRanOnAllProcessors) {
    write("proc/stat",
          "cpu  1000 200 30 99999 88888 4 500 77777 66666 55555\ncpu0 1 2 3 4 5 6 7\n");
    EXPECT_DOUBLE_EQ(busy_time(root)->value * static_cast<double>(sysconf(_SC_CLK_TCK)), 1734)
        << "neither idle nor stolen, and guests are users";
}

TEST_F(BusyTime, IsNothingWhereNobodyTells) {
    EXPECT_FALSE(busy_time(root));
    write("proc/stat", "intr 5\n");
    EXPECT_FALSE(busy_time(root));
}

using RunQueueTime = FakeSystemFiles;

TEST_F(RunQueueTime, IsOfAllThreads) {
    write("proc/self/task/7/schedstat", "531777000 1500000000 2\n");
    write("proc/self/task/8/schedstat", "1 250000000 1\n");
    EXPECT_DOUBLE_EQ(run_queue_time(root)->value, 1.75);
}

TEST_F(RunQueueTime, IsNothingWhereTheKernelDoesNotCount) {
    EXPECT_FALSE(run_queue_time(root));
    write("proc/self/task/7/comm", "cg\n");
    EXPECT_FALSE(run_queue_time(root));
}

TEST(RunQueueTimeHere, OnlyGrows) {
    const auto before = run_queue_time();
    if (before) {
        EXPECT_GE(run_queue_time()->value, before->value);
    }
}

using ProcessorMegahertz = FakeSystemFiles;

TEST_F(ProcessorMegahertz, IsThatOfNow) {
    write("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "3456789\n");
    EXPECT_DOUBLE_EQ(*processor_megahertz(3, root), 3456.789);
    EXPECT_FALSE(processor_megahertz(2, root));
}

}  // namespace
}  // namespace quartet::system

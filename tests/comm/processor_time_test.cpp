#include "comm/processor_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "comm/made_up_machine.hpp"

namespace quartet::comm {
namespace {

class ProcessorQuota : public MadeUpMachine {};

TEST_F(ProcessorQuota, IsOfBothLayouts) {
    write("proc/self/cgroup", "0::/a\n");
    write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    EXPECT_EQ(processor_quota(root), 1.5);

    write("proc/self/cgroup", "2:cpu,cpuacct:/job\n");
    write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
    write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(processor_quota(root), 4);
}

TEST_F(ProcessorQuota, IsTheLeastOfAllGroupsAbove) {
    write("proc/self/cgroup", "0::/a/b\n");
    write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    write("sys/fs/cgroup/a/cpu.max", "800000 100000\n");
    EXPECT_EQ(processor_quota(root), 8);
    write("sys/fs/cgroup/cpu.max", "200000 100000\n");
    EXPECT_EQ(processor_quota(root), 2);
    write("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
    EXPECT_EQ(processor_quota(root), 0.5);
}

TEST_F(ProcessorQuota, IsNothingWhereNoneIsSet) {
    EXPECT_EQ(processor_quota(root), std::nullopt) << "no control groups";
    write("proc/self/cgroup", "2:cpu:/job\n0::/a\n");
    EXPECT_EQ(processor_quota(root), std::nullopt) << "no files";
    write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
    write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(processor_quota(root), std::nullopt);
    write("sys/fs/cgroup/a/cpu.max", "100000 0\n");
    EXPECT_EQ(processor_quota(root), std::nullopt) << "nonsense";
}

class StolenTime : public MadeUpMachine {
  protected:
    [[nodiscard]] double ticks(const std::vector<int>& processors) const {
        return stolen_time(processors, root).value * static_cast<double>(sysconf(_SC_CLK_TCK));
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
    EXPECT_DOUBLE_EQ(ticks({}), 0);
    EXPECT_DOUBLE_EQ(ticks({2}), 0) << "processors come first";
}

TEST_F(StolenTime, IsNoneWhereTheSystemDoesNotTell) {
    EXPECT_EQ(ticks({0}), 0);
    write("proc/stat", "cpu0 1 2 3 4 5 6 7\n");
    EXPECT_EQ(ticks({0}), 0) << "Linux before 2.6.11";
}

TEST(StolenTimeHere, NeverGoesBack) {
    const std::vector<int> some{0, 1};
    const Seconds before = stolen_time(some);
    EXPECT_GE(before, Seconds{0});
    EXPECT_GE(stolen_time(some), before);
}

}  // namespace
}  // namespace quartet::comm

#include "system/processor_quota.hpp"

#include <gtest/gtest.h>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

class ProcessorQuota : public FakeSystemFiles {};

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

}  // namespace
}  // namespace quartet::system

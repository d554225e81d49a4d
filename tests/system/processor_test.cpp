#include "system/processor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

TEST(ProcessorName, IsWhatTheKernelTells) {
    EXPECT_EQ(
        processor_name("vendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9R14\n"),
        "AMD EPYC 9R14");
}

TEST(ProcessorName, IsOneOfAKnownNumberOnArm) {
    EXPECT_EQ(processor_name("BogoMIPS\t: 2100.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
                             "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n"),
              "Arm Neoverse V2");
}

TEST(CacheShare, IsNeverAWholeSocketsCacheThatAGuestNamesItsOwn) {
    const Cache first{"Data", 1, kibibytes(48), 1};
    const Cache second{"Unified", 2, mebibytes(2), 1};
    EXPECT_EQ(cache_share({first, second, {"Unified", 3, mebibytes(30), 10}}), mebibytes(5));
    EXPECT_EQ(cache_share({first, second, {"Unified", 3, mebibytes(260), 2}}), mebibytes(18));
    EXPECT_EQ(cache_share({}), mebibytes(4)) << "unknown";
}

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

}  // namespace
}  // namespace quartet::system

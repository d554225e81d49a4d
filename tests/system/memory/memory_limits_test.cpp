#include "system/memory/memory_limits.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

TEST(GroupMemory, IsNothingWithoutALimit) {
    EXPECT_EQ(group_memory("max\n", "5\n", ""), std::nullopt);
    EXPECT_EQ(group_memory("9223372036854771712\n", "5\n", ""), std::nullopt) << "v1, 4 KiB pages";
    EXPECT_EQ(group_memory("9223372036854710272\n", "5\n", ""), std::nullopt) << "v1, 64 KiB pages";
    EXPECT_EQ(group_memory("99999999999999999999\n", "5\n", ""), std::nullopt);
    EXPECT_EQ(group_memory("", "", ""), std::nullopt);
}

TEST(GroupMemory, CountsFileCacheAsAvailable) {
    const MemoryAmounts expected{{1000}, {700}};
    EXPECT_EQ(
        group_memory("1000\n", "400\n", "anon 300\nfile 100\nactive_file 40\ninactive_file 60\n"),
        expected);
    EXPECT_EQ(group_memory("1000\n", "400\n",
                           "active_file 1\ninactive_file 2\ntotal_inactive_file 60\n"
                           "total_active_file 40\n"),
              expected)
        << "v1, with groups below";
    EXPECT_EQ(group_memory("1000\n", "300\n", ""), expected);
}

class ReadMemory : public FakeSystemFiles {
  protected:
    ReadMemory() { write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 800 kB\n"); }

    const MemoryAmounts machine{kibibytes(1000), kibibytes(800)};
};

TEST_F(ReadMemory, NeedsBothAmounts) {
    for (const char* text : {"", "MemTotal: 5 kB\n", "MemTotal: 5 kB\nMemAvailable: much\n"}) {
        write("proc/meminfo", text);
        EXPECT_THROW(read_memory(root), Failure) << text;
    }
}

TEST_F(ReadMemory, IsTheMachinesWithoutControlGroups) {
    EXPECT_EQ(read_memory(root), machine);
}

TEST_F(ReadMemory, IsLimitedByAGroupAbove) {
    write("proc/self/cgroup", "0::/a/b/c\n");
    write("sys/fs/cgroup/a/b/c/memory.max", "900000\n");
    write("sys/fs/cgroup/a/b/c/memory.current", "890000\n");
    write("sys/fs/cgroup/a/memory.max", "500000\n");
    write("sys/fs/cgroup/a/memory.current", "100000\n");
    EXPECT_EQ(read_memory(root), (MemoryAmounts{{500000}, {10000}})) << "each limit holds";
}

TEST_F(ReadMemory, ALimitAboveTheMachinesMemoryIsNone) {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "9000000\n");
    write("sys/fs/cgroup/memory.current", "100\n");
    EXPECT_EQ(read_memory(root), machine);
}

TEST_F(ReadMemory, StaysBelowTheMountWhateverThePathSays) {
    write("proc/self/cgroup", "0::/../../x\n");
    EXPECT_EQ(read_memory(root), machine);
}

TEST_F(ReadMemory, LeavesOutTheMemoryOfGpusThatIsANumaNode) {
    const auto add_gpu = [&](const char* name, int node) {
        write(std::filesystem::path("proc/driver/nvidia/gpus") / name / "numa_status",
              "Node:      " + std::to_string(node) + "\nStatus:    online\n");
    };
    add_gpu("0009:01:00.0", 1);
    add_gpu("0019:01:00.0", 1);  // two that are parts of one
    add_gpu("0029:01:00.0", -1);
    write("sys/devices/system/node/node0/meminfo",
          "Node 0 MemTotal: 600 kB\nNode 0 MemFree: 1 kB\n");
    write("sys/devices/system/node/node1/meminfo",
          "Node 1 MemTotal:       400 kB\nNode 1 MemFree:         390 kB\n");
    EXPECT_EQ(read_memory(root), (MemoryAmounts{kibibytes(600), kibibytes(410)}));
}

}  // namespace
}  // namespace quartet::system

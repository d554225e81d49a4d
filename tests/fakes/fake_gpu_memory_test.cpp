#include "fakes/fake_gpu_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "fakes/emulator/fiber/sanitizer.hpp"

namespace quartet::device {
namespace {

/// A fake that lets a mistake pass would prove nothing.
class FakeGpuMemoryTest : public ::testing::Test {
  protected:
    FakeGpuNode node;
    FakeGpuMemory memory{node};
};
using FakeGpuMemoryDeathTest = FakeGpuMemoryTest;

TEST_F(FakeGpuMemoryDeathTest, TheCpuMayNotTouchMemoryOfTheGpu) {
    volatile std::byte* block = memory.allocate(100);

    EXPECT_DEATH(*block = std::byte{1}, "");
}

TEST_F(FakeGpuMemoryDeathTest, NobodyMayTouchThePageBehindAnAllocation) {
    std::byte* block = memory.allocate(4096);
    memory.allocate(4096);
    volatile std::byte* beyond = memory.on_cpu(block) + 4096;

    EXPECT_DEATH(*beyond = std::byte{1}, "");
}

TEST_F(FakeGpuMemoryDeathTest, NobodyMayTouchWhatWasFreed) {
    std::byte* block = memory.allocate(100);
    volatile std::byte* seen = memory.on_cpu(block);
    memory.release(block);

    EXPECT_DEATH(*seen = std::byte{1}, "");
}

TEST_F(FakeGpuMemoryTest, AnotherProcessMapsTheSameMemory) {
    std::byte* block = memory.allocate(10000);
    std::byte* values = memory.on_cpu(block);
    values[9999] = std::byte{5};
    const FakeGpuMemory::Handle handle = memory.handle_of(block);
    EXPECT_EQ(memory.open(handle), nullptr) << "by the process that has it";

    const pid_t child = ::fork();
    if (child == 0) {
        FakeGpuMemory other(node);
        std::byte* theirs = other.open(handle);
        if (theirs == nullptr || theirs != other.open(handle) || !other.is_on_gpu(theirs))
            ::_exit(1);
        if (other.on_cpu(theirs)[9999] != std::byte{5})
            ::_exit(2);
        other.on_cpu(theirs)[0] = std::byte{6};
        ::_exit(other.close(theirs) && other.close(theirs) && !other.close(theirs) ? 0 : 3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);

    EXPECT_EQ(status, 0);
    EXPECT_EQ(values[0], std::byte{6});
}

}  // namespace
}  // namespace quartet::device

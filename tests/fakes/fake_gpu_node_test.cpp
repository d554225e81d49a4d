#include "fakes/fake_gpu_node.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "fakes/fake_gpu_memory.hpp"

namespace quartet::device {
namespace {

/// A variable of the environment while this lives.
class Variable {
  public:
    Variable(const char* name, const std::string& value) : name_(name) {
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

TEST(FakeGpuNode, HasGpusInPairsThatReachEachOther) {
    const Variable gpus("QUARTET_STAND_IN_GPUS", "4");
    const Variable peers("QUARTET_STAND_IN_PEERS", "pairs");
    const FakeGpuNode node;

    EXPECT_EQ(node.gpus(), 4);
    EXPECT_TRUE(node.reaches(2, 3));
    EXPECT_TRUE(node.reaches(1, 1));
    EXPECT_FALSE(node.reaches(1, 2));
    EXPECT_FALSE(node.use(4));
}

TEST(FakeGpuNode, CountsEachGpusMemory) {
    const Variable gpus("QUARTET_STAND_IN_GPUS", "2");
    FakeGpuNode node;
    FakeGpuMemory memory(node);
    memory.set_total(kibibytes(64));
    std::thread([&] {
        EXPECT_TRUE(node.use(1));
        std::byte* block = memory.allocate(60000);
        EXPECT_EQ(memory.gpu_of(block + 59999), 1);
        EXPECT_EQ(memory.allocate(60000), nullptr);
    }).join();

    EXPECT_EQ(node.get(1, GpuCount::allocated), 60000);
    std::byte* block = memory.allocate(50000);
    ASSERT_NE(block, nullptr) << "the other one has room";
    EXPECT_EQ(memory.gpu_of(block), 0);
    EXPECT_EQ(memory.gpu_of(&block), std::nullopt);
    memory.release(block);
    EXPECT_EQ(node.get(0, GpuCount::allocated), 0);
    EXPECT_EQ(node.get(0, GpuCount::most_allocated), 50000);
}

}  // namespace
}  // namespace quartet::device

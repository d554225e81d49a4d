#include "system/steal_time.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

class StolenTime : public FakeSystemFiles {
  protected:
    // -1 where nobody tells.
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

}  // namespace
}  // namespace quartet::system

#include "device/task.hpp"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>

namespace quartet::device {
namespace {

TEST(TaskTest, CallsWhatItWasMadeOf) {
    int calls = 0;
    Task task = [&calls] { ++calls; };

    task();
    task();

    EXPECT_EQ(calls, 2);
}

TEST(TaskTest, CopiesKeepTheirOwnCaptures) {
    int sum = 0;
    Task one = [&sum, value = 1]() mutable { sum += value++; };
    Task other = one;

    one();
    one();
    other();

    EXPECT_EQ(sum, 1 + 2 + 1);
}

TEST(TaskTest, AssignmentReplacesTheCall) {
    int first = 0;
    int second = 0;
    Task task = [&first] { ++first; };

    task = [&second] { ++second; };
    task();

    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
}

TEST(TaskTest, HoldsCapturesUpToItsCapacity) {
    double sum = 0;
    std::array<double, Task::capacity / sizeof(double) - 1> values{};
    values.back() = 3;
    Task task = [values, &sum] { sum += values.back(); };

    task();

    EXPECT_EQ(sum, 3);
}

TEST(TaskTest, LetsExceptionsThrough) {
    Task task = [] { throw std::domain_error("work"); };

    EXPECT_THROW(task(), std::domain_error);
}

}  // namespace
}  // namespace quartet::device

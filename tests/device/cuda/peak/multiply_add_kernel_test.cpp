#include "device/cuda/peak/multiply_add_kernel.hpp"

#include "device/cuda/gpu_array.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {
namespace {

using MultiplyAddKernelTest = KernelTest;

// Eight values, 0 to 7 at first, each halved and raised by one in every link of two a step.
double sum_after(std::int64_t steps) {
    double sum = 0;
    for (int i = 0; i < 8; ++i) {
        double value = i;
        for (std::int64_t link = 0; link < 2 * steps; ++link)
            value = 0.5 * value + 1;
        sum += value;
    }
    return sum;
}

TEST_F(MultiplyAddKernelTest, DoesAllStepsThatItCounts) {
    for (const FloatFormat format : {FloatFormat::float32, FloatFormat::float64})
        for (const std::int64_t steps : {0, 1, 3, 4, 5}) {
            const GpuArray<double> result(2, -1.0);

            launch_multiply_add(format, steps, 2, result.data(), stream);
            finish();

            EXPECT_EQ(result.values(), (std::vector{sum_after(steps), -1.0})) << steps;
            EXPECT_EQ(multiply_add_operations(steps), 32.0 * static_cast<double>(steps));
        }
}

}  // namespace
}  // namespace quartet::device

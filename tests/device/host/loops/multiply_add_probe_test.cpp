#include "device/host/loops/multiply_add_probe.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace quartet::device {
namespace {

// A loop that leaves out what a compiler makes of it would count operations that nobody does.
TEST(MultiplyAddProbe, CountsNoMoreThanAProcessorCanDo) {
    constexpr double most_per_second = 2.0 * 32 * 8e9;  // two registers of 16 floats, 8 GHz
    const double rate = MultiplyAddProbe(1).measure({0.005});
    EXPECT_GT(rate, 1e8);
    EXPECT_LT(rate, most_per_second);
}

// Of one thread, and not from memory: no loop over numbers that wait for each other is faster.
TEST(MultiplyAddProbe, IsFasterThanSumsThatWaitForEachOther) {
    const auto chained = [] {
        volatile float start = 1;
        constexpr long steps = 1'000'000;
        std::array<float, 4> sums{start, start, start, start};
        const float factor = 0.5F * start;
        const Seconds begin = now();
        for (long step = 0; step < steps; ++step) {
            for (float& sum : sums) {
                sum = sum * factor + 1;
            }
        }
        const double seconds = (now() - begin).value;
        start = sums[0] + sums[1] + sums[2] + sums[3];
        return 2.0 * steps * sums.size() / seconds;
    };
    double rate = 0;
    double others = 0;
    for (int count = 0; count < 5; ++count) {
        rate = std::max(rate, MultiplyAddProbe(1).measure({0.005}));
        others = std::max(others, chained());
    }
    EXPECT_GT(rate, 2 * others);
}

}  // namespace
}  // namespace quartet::device

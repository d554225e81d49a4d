#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device/host/loops/loops.hpp"

namespace quartet::device {
namespace {

class EveryMemoryLoops : public ::testing::TestWithParam<const Loops*> {
  protected:
    void SetUp() override {
        if (!processor_has(GetParam()->isa)) {
            GTEST_SKIP() << "no " << GetParam()->isa << " here";
        }
    }

    template <typename T>
    static std::vector<T> counted(std::int64_t size) {
        std::vector<T> values(static_cast<std::size_t>(size));
        std::iota(values.begin(), values.end(), T{1});
        return values;
    }

    const MemoryLoops& loops = GetParam()->memory;
    const std::vector<std::int64_t> sizes{0, 1, 7, 63, 64, 129, 1000, 4099};
};

TEST_P(EveryMemoryLoops, ReadEachElementOnce) {
    for (const std::int64_t size : sizes) {
        const auto x = counted<double>(size);
        const auto n = static_cast<double>(size);
        for (const int streams : {1, 2, 4, 8}) {
            for (const Fetch fetch : {Fetch::once, Fetch::ahead, Fetch::twice}) {
                EXPECT_EQ(loops.read({streams, fetch}, x.data(), size),
                          n * (n + 1) * (2 * n + 1) / 6)
                    << to_string(MemoryWay{streams, fetch}) << ", " << size;
            }
        }
    }
}

TEST_P(EveryMemoryLoops, WriteEachElementOnce) {
    for (const std::int64_t size : sizes) {
        const auto x = counted<double>(size);
        const auto floats = counted<float>(size);
        for (const int streams : {1, 2, 4, 8}) {
            std::vector<double> copied(x.size());
            loops.copy(streams, x.data(), copied.data(), size);
            EXPECT_EQ(copied, x) << streams << ", " << size;

            auto y = counted<double>(size);
            loops.axpy(streams, 0.5, x.data(), y.data(), size);
            auto sums = counted<float>(size);
            loops.add_floats(streams, floats.data(), sums.data(), size);
            for (std::size_t i = 0; i < x.size(); ++i) {
                ASSERT_EQ(y[i], 1.5 * x[i]) << streams << ", " << size;
                ASSERT_EQ(sums[i], 2 * floats[i]) << streams << ", " << size;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Host, EveryMemoryLoops, ::testing::ValuesIn(compiled_loops()),
                         [](const auto& test) { return std::string(test.param->isa); });

}  // namespace
}  // namespace quartet::device

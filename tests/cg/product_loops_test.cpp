#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cg/loops.hpp"
#include "cg/matrix_layout.hpp"
#include "device/host/loops/processor.hpp"

namespace quartet::cg {
namespace {

using device::Fetch;
using device::MemoryWay;

std::vector<double> values(std::int64_t count, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> result(static_cast<std::size_t>(count));
    for (double& value : result) {
        value = between(generator);
    }
    return result;
}

class EveryProductLoops : public ::testing::TestWithParam<const Loops*> {
  protected:
    void SetUp() override {
        if (!device::processor_has(GetParam()->isa)) {
            GTEST_SKIP() << "no " << GetParam()->isa << " here";
        }
    }
    const Loops& loops = *GetParam();
};

TEST_P(EveryProductLoops, AProductOfRowsHasTheSameBitsByEachWay) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {9, 17}, {40, 100}, {77, 515}}) {
        const RowPanels panels{rows, columns};
        const auto elements = values(panels.padded_elements(), 1);
        const auto x = values(columns, 2);
        const auto product = [&](MemoryWay way) {
            std::vector<double> y(static_cast<std::size_t>(rows), 7.0);
            loops.multiply_rows({elements.data(), columns, rows}, way, x.data(), y.data());
            return y;
        };
        const auto wanted = product({1, Fetch::once});
        for (const int streams : {1, 2, 4}) {
            for (const Fetch fetch : {Fetch::once, Fetch::ahead, Fetch::twice}) {
                EXPECT_EQ(product({streams, fetch}), wanted)
                    << to_string(MemoryWay{streams, fetch}) << ", " << rows << " x " << columns;
            }
        }
    }
}

TEST_P(EveryProductLoops, AProductOfATriangleHasTheSameBitsByEachWay) {
    for (const std::int64_t size : {5, 16, 40, 515}) {
        const TrianglePanels panels{size};
        const auto elements = values(panels.panel_elements(0), 3);
        const auto x = values(size, 4);
        const auto product = [&](Fetch fetch) {
            std::vector<double> y(x.size());
            loops.multiply_triangle({elements.data(), 0}, fetch, x.data(), y.data(), size);
            return y;
        };
        EXPECT_EQ(product(Fetch::ahead), product(Fetch::once)) << size;
        EXPECT_EQ(product(Fetch::twice), product(Fetch::once)) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(Host, EveryProductLoops, ::testing::ValuesIn(compiled_loops()),
                         [](const auto& loops) { return std::string(loops.param->isa); });

}  // namespace
}  // namespace quartet::cg

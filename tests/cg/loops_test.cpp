#include "cg/loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "device/host/loops/loops.hpp"

namespace quartet::cg {
namespace {

using device::Fetch;
using device::MemoryWay;

// Beyond 2^31 elements, and beyond 2^31 panels: proven while compiling.
constexpr std::int64_t million = std::int64_t{1} << 20;
static_assert(RowPanels{million, million}.padded_elements() == million * million);
static_assert(TrianglePanels{million}.padded_elements() ==
              million / 16 * (million / 16 + 1) / 2 * 256);
static_assert(TrianglePanels{16 * million * 1024}.count() == million * 1024);
static_assert(TrianglePanels{16 * million * 1024}.panel_elements(0) == million * 1024 * 256);
static_assert(SnakeDistribution{3}.owner(std::int64_t{1} << 40) ==
              SnakeDistribution{3}.owner((std::int64_t{1} << 40) % 6));

// Elements of the largest and smallest share, by rank and then by thread.
void expect_even(std::int64_t size, std::int64_t ranks, std::int64_t threads) {
    const TrianglePanels panels{size};
    std::int64_t least = panels.padded_elements();
    std::int64_t most = 0;
    const SnakeDistribution to_ranks{ranks};
    const SnakeDistribution to_threads{threads};
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t mine = to_ranks.count(rank, panels.count());
        for (std::int64_t thread = 0; thread < threads; ++thread) {
            std::int64_t elements = 0;
            for (std::int64_t round = 0; round < to_threads.count(thread, mine); ++round) {
                elements +=
                    panels.panel_elements(to_ranks.index(rank, to_threads.index(thread, round)));
            }
            least = std::min(least, elements);
            most = std::max(most, elements);
        }
    }
    // No more than the smallest panels of one round, back and forth over ranks and threads.
    EXPECT_LE(most - least, 2 * ranks * threads * 2 * 256)
        << size << " over " << ranks << " x " << threads;
}

TEST(SnakeDistribution, SpreadsATriangleEvenlyOverRanksAndThreads) {
    for (const std::int64_t size : {1, 100, 1000, 4096, 8192, 12288, 65535, 65536}) {
        for (const std::int64_t ranks : {1, 2, 3, 4, 16, 61}) {
            for (const std::int64_t threads : {1, 2, 3, 8})
                expect_even(size, ranks, threads);
        }
    }
}

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

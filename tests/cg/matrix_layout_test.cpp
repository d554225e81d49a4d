#include "cg/matrix_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace quartet::cg {
namespace {

// Beyond 2^31 elements, and beyond 2^31 panels: proven while compiling.
constexpr std::int64_t million = std::int64_t{1} << 20;
static_assert(RowPanels{million, million}.padded_elements() == million * million);
static_assert(RowPanels{million, million}.index(million - 1, million - 1) == million * million - 1);
static_assert(RowPanels{million, million}.index(8, 0) == 8 * million);
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

}  // namespace
}  // namespace quartet::cg

#include "matmul/problem/partition.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace quartet::matmul {
namespace {

std::int64_t largest(const std::vector<Block>& blocks) {
    return std::ranges::max(blocks, {}, &Block::tiles).tiles();
}

TEST(Partition, GivesEachTileOneOwner) {
    for (const std::int64_t tiles : {1, 2, 3, 8, 13}) {
        for (int ranks = 1; ranks <= 20; ++ranks) {
            const Problem problem{tiles * 4 - 1, 4};
            const auto blocks = partition(problem, ranks);
            ASSERT_EQ(std::ssize(blocks), ranks);
            std::map<std::pair<std::int64_t, std::int64_t>, int> owners;
            for (const Block& block : blocks) {
                for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
                    for (std::int64_t col = block.columns.begin; col < block.columns.end; ++col) {
                        ++owners[{row, col}];
                    }
                }
            }
            EXPECT_EQ(std::ssize(owners), tiles * tiles) << tiles << " tiles, " << ranks;
            EXPECT_TRUE(
                std::ranges::all_of(owners, [](const auto& one) { return one.second == 1; }));
        }
    }
}

// By the definition: every count of columns is tried, every block looked at.
std::vector<Block> partition_by_trying_all(const Problem& problem, int ranks) {
    std::vector<Block> best;
    std::pair<std::int64_t, std::int64_t> least;
    for (int columns = 1; columns <= ranks; ++columns) {
        std::vector<Block> blocks;
        std::pair<std::int64_t, std::int64_t> cost;
        for (int column = 0; column < columns; ++column) {
            const Range members = block_range(ranks, columns, column);
            const Range width{problem.tiles() * members.begin / ranks,
                              problem.tiles() * members.end / ranks};
            const int count = static_cast<int>(members.size());
            for (int member = 0; member < count; ++member) {
                blocks.push_back({block_range(problem.tiles(), count, member), width});
                const auto rows = elements_of(problem, blocks.back().rows).size();
                const auto across = elements_of(problem, width).size();
                cost = {std::max(cost.first, rows * across), std::max(cost.second, rows + across)};
            }
        }
        if (columns == 1 || cost < least) {
            least = cost;
            best = std::move(blocks);
        }
    }
    return best;
}

bool same(const Block& a, const Block& b) {
    return a.rows.begin == b.rows.begin && a.rows.end == b.rows.end &&
           a.columns.begin == b.columns.begin && a.columns.end == b.columns.end;
}

TEST(Partition, IsWhatTryingAllCountsOfColumnsGives) {
    // Whole tiles, ragged ones, fewer tiles than ranks, one tile, a tile of one element at the end.
    const std::vector<Problem> problems{{1, 1},    {8, 1},     {13, 1},     {40, 3},   {64, 1},
                                        {101, 10}, {101, 100}, {5000, 128}, {1000, 1}, {50, 100}};
    for (const Problem& problem : problems) {
        for (int ranks = 1; ranks <= 150; ++ranks) {
            const auto blocks = partition(problem, ranks);
            const auto expected = partition_by_trying_all(problem, ranks);
            ASSERT_TRUE(std::ranges::equal(blocks, expected, same))
                << problem.size << " by " << problem.tile << " on " << ranks;
        }
    }
}

// Trying all counts took 12 s.
TEST(Partition, TakesNoSecondFor16384Ranks) {
    for (const Problem& problem :
         {Problem{65536, 1024}, Problem{65537, 128}, Problem{1 << 20, 1024}, Problem{4097, 4096}}) {
        const Seconds begin = now();
        const auto blocks = partition(problem, 16384);
        EXPECT_LT((now() - begin).value, 0.5) << problem.size << " by " << problem.tile;
        EXPECT_EQ(std::ssize(blocks), 16384);
    }
    EXPECT_EQ(largest(partition({1 << 20, 1024}, 16384)), 64) << "8 x 8 of 1024 x 1024 tiles";
}

TEST(Partition, GivesSquareGridsForSquareCounts) {
    for (const Block& block : partition({8, 1}, 4)) {
        EXPECT_EQ(block.rows.size(), 4);
        EXPECT_EQ(block.columns.size(), 4);
    }
    for (const Block& block : partition({8, 1}, 16)) {
        EXPECT_EQ(block.tiles(), 4);
        EXPECT_EQ(block.rows.size(), 2);
    }
}

TEST(Partition, AvoidsStripsForPrimeCounts) {
    EXPECT_EQ(largest(partition({8, 1}, 2)), 32);
    EXPECT_EQ(largest(partition({8, 1}, 3)), 24);
    // 9.14 would be even; strips of whole columns would leave one rank with 16.
    EXPECT_LE(largest(partition({8, 1}, 7)), 10);
    EXPECT_LE(largest(partition({64, 1}, 13)), 340) << "even: 315";
}

TEST(Partition, LeavesRanksIdleWhereTilesAreFewer) {
    const auto blocks = partition({2, 1}, 9);
    EXPECT_EQ(largest(blocks), 1);
    EXPECT_EQ(std::ranges::count_if(blocks, &Block::empty), 5);
}

TEST(Partition, BalancesRaggedTilesByTheirElements) {
    // Two tiles, the second a single element: halving that one gains nothing.
    const auto blocks = partition({101, 100}, 2);
    EXPECT_EQ(elements_of({101, 100}, {0, 2}).size(), 101);
    EXPECT_EQ(blocks[0].tiles(), 2);
}

}  // namespace
}  // namespace quartet::matmul

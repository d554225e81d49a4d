#include "matmul/partition.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

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

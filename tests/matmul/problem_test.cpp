#include "matmul/problem.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "core/data_source.hpp"

namespace quartet::matmul {
namespace {

TEST(MatmulProblem, CountsOperationsAsThePaperDoes) {
    EXPECT_EQ((Problem{4, 2}).flops().value, 2 * 64 - 16);
    // The paper's largest: beyond 2^31 elements, and beyond 2^63 operations had they been integers.
    const Problem large{std::int64_t{1} << 30, 8192};
    EXPECT_EQ(large.matrix_bytes().value, std::int64_t{1} << 62);
    EXPECT_DOUBLE_EQ(large.flops().value, 0x1p91 - 0x1p60);
}

float element(const DataSource& source, std::int64_t index) {
    float value = 0;
    source.fill_uniform(std::span(&value, 1), index);
    return value;
}

TEST(MatmulProblem, ElementsDependOnSeedAndPositionAlone) {
    const Problem problem{10, 4, 7};
    const DataSource source(7, "matmul/A");
    std::vector<float> tile(static_cast<std::size_t>(problem.elements({1, 2})));
    fill_tile(problem, "A", {1, 2}, tile);
    for (std::int64_t row = 0; row < 4; ++row) {
        for (std::int64_t column = 0; column < 2; ++column) {
            EXPECT_EQ(tile[static_cast<std::size_t>(2 * row + column)],
                      element(source, (4 + row) * 10 + 8 + column));
        }
    }
    std::vector<float> row(3);
    fill_rows({std::int64_t{1} << 20, 3, 1}, "B", 1 << 19, 1, 5, row);
    EXPECT_EQ(row[1], element(DataSource(1, "matmul/B"), (std::int64_t{1} << 39) + 16));
}

std::int64_t largest(const std::vector<Block>& blocks) {
    return std::ranges::max(blocks, {}, &Block::tiles).tiles();
}

TEST(Partition, GivesEachTileOneOwner) {
    for (const std::int64_t tiles : {1, 2, 3, 8, 13}) {
        for (int ranks = 1; ranks <= 20; ++ranks) {
            const auto blocks = partition({tiles * 4 - 1, 4}, ranks);
            ASSERT_EQ(std::ssize(blocks), ranks);
            std::map<std::pair<std::int64_t, std::int64_t>, int> owners;
            for (const Block& block : blocks) {
                for_each_tile(block, [&](TileIndex tile) { ++owners[{tile.row, tile.column}]; });
            }
            EXPECT_EQ(std::ssize(owners), tiles * tiles) << tiles << " tiles, " << ranks;
            EXPECT_TRUE(
                std::ranges::all_of(owners, [](const auto& one) { return one.second == 1; }));
        }
    }
}

TEST(Partition, IsNearSquareAndBalanced) {
    for (const Block& block : partition({8, 1}, 16)) {
        EXPECT_EQ(block.rows.size(), 2);
        EXPECT_EQ(block.columns.size(), 2);
    }
    EXPECT_EQ(largest(partition({8, 1}, 3)), 24);
    // 9.14 would be even; strips of whole columns would leave one rank with 16.
    EXPECT_LE(largest(partition({8, 1}, 7)), 10);
    EXPECT_LE(largest(partition({64, 1}, 13)), 340) << "even: 315";
    EXPECT_EQ(std::ranges::count_if(partition({2, 1}, 9), &Block::empty), 5);
    // Two tiles along an edge, the second of a single element: halving that one gains nothing.
    EXPECT_EQ(partition({101, 100}, 2)[0].tiles(), 2);
}

TEST(Partition, HasWorkForEachRankByDefault) {
    EXPECT_EQ(even_tile(8192, 32), 1024);
    EXPECT_EQ(even_tile(1, 4), 1);
    for (const std::int64_t size : {300, 1000, 1024, 1025, 2048, 4096}) {
        for (const int ranks : {1, 2, 3, 4, 7, 16}) {
            const Problem problem{size, even_tile(size, ranks)};
            const double even = static_cast<double>(problem.tiles() * problem.tiles()) / ranks;
            EXPECT_LE(static_cast<double>(largest(partition(problem, ranks))), 1.8 * even) << size;
        }
    }
}

}  // namespace
}  // namespace quartet::matmul

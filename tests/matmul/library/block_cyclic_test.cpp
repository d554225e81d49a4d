#include "matmul/library/block_cyclic.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace quartet::matmul {
namespace {

TEST(BlockCyclicDimension, CountsBlocksAndElementsOfEachProcess) {
    for (const std::int64_t size : {1, 5, 64, 100, 1000}) {
        for (const std::int64_t block : {1, 7, 64, 100, 2000}) {
            for (const int parts : {1, 2, 3, 7}) {
                std::vector<std::int64_t> blocks(static_cast<std::size_t>(parts));
                std::vector<std::int64_t> extents(blocks.size());
                for (std::int64_t begin = 0; begin < size; begin += block) {
                    const auto part = static_cast<std::size_t>(begin / block % parts);
                    ++blocks[part];
                    extents[part] += std::min(block, size - begin);
                }
                const BlockCyclicDimension edge{size, block, parts};
                for (int part = 0; part < parts; ++part) {
                    EXPECT_EQ(edge.blocks(part), blocks[static_cast<std::size_t>(part)]);
                    EXPECT_EQ(edge.extent(part), extents[static_cast<std::size_t>(part)])
                        << size << " in blocks of " << block << ", part " << part << " of "
                        << parts;
                }
                EXPECT_EQ(edge.extent(0), *std::ranges::max_element(extents));
            }
        }
    }
}

TEST(Distributions, CoverEveryGridAndBlockSizeThatGivesEachRankABlock) {
    std::vector<ProcessGrid> grids;
    for (const BlockCyclic& one : distributions(8192, 4)) {
        EXPECT_EQ(one.grid.ranks(), 4);
        EXPECT_GE(one.block, 64);
        EXPECT_LE(one.block, 4096);
        EXPECT_LE(one.block * std::max(one.grid.rows, one.grid.columns), one.size);
        if (grids.empty() || !(grids.back() == one.grid)) {
            grids.push_back(one.grid);
        }
    }
    EXPECT_EQ(grids, (std::vector<ProcessGrid>{{1, 4}, {2, 2}, {4, 1}}));
    EXPECT_EQ(distributions(8192, 4).size(), 6U + 7U + 6U);
    EXPECT_EQ(distributions(8192, 2).size(), 14U);
}

TEST(Distributions, GiveOneBlockPerRankForSmallMatrices) {
    for (const BlockCyclic& one : distributions(96, 3)) {
        EXPECT_EQ(one.block, 32);
    }
    EXPECT_EQ(distributions(1, 5).front().block, 1);
    EXPECT_EQ(distributions(1, 5).front().most_elements(), 1);
}

TEST(Strips, CoverTheMatrixOnceInWholeTileRows) {
    const Problem problem{100, 13, 1};
    for (const int ranks : {1, 2, 3, 5, 11}) {
        std::int64_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const Block strip = strip_of(problem, ranks, rank);
            EXPECT_EQ(strip.rows.begin, next);
            EXPECT_LE(strip.rows.size(), strip_of(problem, ranks, 0).rows.size());
            EXPECT_EQ(strip.columns.size(), problem.tiles());
            next = strip.rows.end;
        }
        EXPECT_EQ(next, problem.tiles());
    }
}

}  // namespace
}  // namespace quartet::matmul

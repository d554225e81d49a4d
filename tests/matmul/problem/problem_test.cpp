#include "matmul/problem/problem.hpp"

#include <gmock/gmock.h>

#include "core/data_source.hpp"

namespace quartet::matmul {
namespace {

using testing::Each;
using testing::Ge;
using testing::Lt;

TEST(MatmulProblem, TilesCoverTheMatrix) {
    const Problem problem{10, 4};
    EXPECT_EQ(problem.tiles(), 3);
    EXPECT_EQ(problem.begin(2), 8);
    EXPECT_EQ(problem.begin(3), 10);
    EXPECT_EQ(problem.extent(0), 4);
    EXPECT_EQ(problem.extent(2), 2);
    EXPECT_EQ(problem.elements({0, 2}), 8);
    EXPECT_EQ(problem.tile_bytes(), Bytes{64});
}

TEST(MatmulProblem, TakesATileLargerThanTheMatrix) {
    const Problem problem{3, 100};
    EXPECT_EQ(problem.tiles(), 1);
    EXPECT_EQ(problem.extent(0), 3);
    EXPECT_EQ(problem.matrix_bytes(), Bytes{36});
}

TEST(MatmulProblem, CountsOperationsAsThePaperDoes) {
    EXPECT_EQ((Problem{1, 1}).flops().value, 1);
    EXPECT_EQ((Problem{4, 2}).flops().value, 2 * 64 - 16);
    // The paper's largest: beyond 2^31 elements, and beyond 2^63 operations had they been integers.
    const Problem large{std::int64_t{1} << 30, 8192};
    EXPECT_EQ(large.matrix_bytes().value, std::int64_t{1} << 62);
    EXPECT_DOUBLE_EQ(large.flops().value, 0x1p91 - 0x1p60);
}

TEST(MatmulProblem, ElementsDoNotDependOnTheTile) {
    const Problem problem{10, 4, 7};
    const DataSource source(7, "matmul/A");
    std::vector<float> tile(static_cast<std::size_t>(problem.elements({1, 2})));
    fill_tile(problem, "A", {1, 2}, tile);
    for (std::int64_t row = 0; row < 4; ++row) {
        for (std::int64_t column = 0; column < 2; ++column) {
            EXPECT_EQ(tile[static_cast<std::size_t>(2 * row + column)],
                      source.uniform_float((4 + row) * 10 + 8 + column));
        }
    }
    EXPECT_THAT(tile, Each(Ge(0.0F)));
    EXPECT_THAT(tile, Each(Lt(1.0F)));
}

TEST(MatmulProblem, ElementsAreRightBeyond32Bits) {
    const Problem problem{std::int64_t{1} << 20, 3, 1};
    std::vector<float> row(3);
    fill_rows(problem, "B", 1 << 19, 1, 5, row);
    const std::int64_t first = (std::int64_t{1} << 39) + 15;
    EXPECT_EQ(row[1], DataSource(1, "matmul/B").uniform_float(first + 1));
}

TEST(MatmulProblem, FilesAreTheTilesOfAAndB) {
    const Problem problem{5, 3};
    const auto files = input_files(problem);
    ASSERT_EQ(files.size(), 8U);
    EXPECT_EQ(files[0].name, "A_0_0.npy");
    EXPECT_EQ(files[6].name, "B_1_0.npy");
    EXPECT_EQ(files[6].shape, (Shape{2, 3}));
    const auto [matrix, index] = input_tile(problem, 6);
    EXPECT_EQ(matrix, "B");
    EXPECT_EQ(index, (TileIndex{1, 0}));
}

TEST(MatmulProblem, ManifestsOfDifferentProblemsDiffer) {
    EXPECT_EQ(manifest_of({5, 3, 2}), manifest_of({5, 3, 2}));
    EXPECT_NE(manifest_of({5, 3, 2}), manifest_of({5, 3, 1}));
    EXPECT_NE(manifest_of({5, 3, 2}), manifest_of({5, 2, 2}));
    EXPECT_NE(manifest_of({5, 3, 2}), manifest_of({6, 3, 2}));
}

}  // namespace
}  // namespace quartet::matmul

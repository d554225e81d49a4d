#include "device/cuda/runtime/grid.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace quartet::device {
namespace {

TEST(GridTest, AnEmptyVectorHasOneBlock) {
    EXPECT_EQ(blocks_for(0, 4), 1);
    EXPECT_EQ(SumGrid{0}.blocks(), 1);
}

TEST(GridTest, GivesEachThreadItsElementsAtOnceWhileBlocksLast) {
    EXPECT_EQ(blocks_for(1, 4), 1);
    EXPECT_EQ(blocks_for(4 * block_threads, 4), 1);
    EXPECT_EQ(blocks_for(4 * block_threads + 1, 4), 2);
    EXPECT_EQ(blocks_for(std::numeric_limits<std::int64_t>::max(), 1), most_blocks);
}

TEST(GridTest, SumsVisitEachElementOnce) {
    for (const std::int64_t size :
         {0, 1, 255, 256, 1023, 1024, 1025, 100'003, 1'048'576 + 5, 4 * 1'048'576 + 77}) {
        const SumGrid grid{size};
        std::vector<int> visits(static_cast<std::size_t>(size));
        for (std::int64_t thread = 0; thread < grid.threads(); ++thread)
            for (int lane = 0; lane < sum_lanes; ++lane)
                for (std::int64_t i = grid.first(thread, lane); i < size; i += grid.step())
                    ++visits[static_cast<std::size_t>(i)];
        for (const int count : visits)
            ASSERT_EQ(count, 1) << size;
        EXPECT_LE(grid.blocks(), most_sum_blocks);
    }
}

TEST(GridTest, CountsInSixtyFourBits) {
    constexpr SumGrid grid{std::int64_t{1} << 40};

    static_assert(grid.blocks() == most_sum_blocks);
    static_assert(grid.first(grid.threads() - 1, sum_lanes - 1) == grid.step() - 1);
    static_assert(divide_up(std::numeric_limits<std::int64_t>::max(), 2) == std::int64_t{1} << 62);
}

}  // namespace
}  // namespace quartet::device

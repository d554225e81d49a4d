#include "device/cuda/runtime/batch_split.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

TEST(BatchSplitTest, CoversTheBatchInEvenPieces) {
    for (std::int64_t batch = 1; batch < 50; ++batch) {
        for (std::int64_t most = 1; most < 60; ++most) {
            const BatchSplit split = split_batch(batch, most);

            EXPECT_EQ((split.pieces - 1) * split.each + split.last, batch);
            EXPECT_LE(split.each, most);
            EXPECT_GE(split.last, 1);
            EXPECT_LE(split.last, split.each);
            EXPECT_EQ(split.pieces, (batch + most - 1) / most) << batch << " by " << most;
        }
    }
}

TEST(BatchSplitTest, AnEmptyBatchHasNoPieces) {
    EXPECT_EQ(split_batch(0, 5).pieces, 0);
}

TEST(BatchSplitTest, TakesOneAtATimeWhereOneExceedsTheLimit) {
    EXPECT_EQ(split_batch(3, 0).each, 1);
    EXPECT_EQ(split_batch(3, 0).pieces, 3);
}

TEST(BatchSplitTest, CountsInSixtyFourBits) {
    constexpr std::int64_t batch = std::int64_t{1} << 40;

    static_assert(split_batch(batch, batch).pieces == 1);
    static_assert(split_batch(batch + 1, batch).each == batch / 2 + 1);
}

}  // namespace
}  // namespace quartet::device

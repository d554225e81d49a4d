#include "core/block_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/check.hpp"

namespace quartet {
namespace {

using testing::Throws;

TEST(BlockRange, CoversEveryCountWithoutGaps) {
    for (std::int64_t count = 0; count < 40; ++count) {
        for (int parts = 1; parts < 12; ++parts) {
            std::int64_t end = 0;
            for (int part = 0; part < parts; ++part) {
                const Range range = block_range(count, parts, part);
                EXPECT_EQ(range.begin, end);
                EXPECT_EQ(range.begin, part * count / parts);
                end = range.end;
            }
            EXPECT_EQ(end, count);
        }
    }
}

TEST(BlockRange, DoesNotOverflowForTheLargestCountsAndParts) {
    constexpr std::int64_t count = std::int64_t{1} << 62;
    constexpr int parts = std::numeric_limits<int>::max();
    EXPECT_EQ(block_range(count, parts, parts - 1).end, count);
    EXPECT_EQ(block_range(count, parts, 0).begin, 0);
    // 2^62 = (2^31 + 1)(2^31 - 1) + 1: the one element over belongs to the last part.
    EXPECT_EQ(block_range(count, parts, 0).size(), (std::int64_t{1} << 31) + 1);
    EXPECT_EQ(block_range(count, parts, parts - 1).size(), (std::int64_t{1} << 31) + 2);
    EXPECT_EQ(block_range(count - 1, parts, parts - 1).size(), (std::int64_t{1} << 31) + 1);
}

TEST(BlockRange, RefusesPartsThatAreNot) {
    EXPECT_THAT([] { block_range(1, 2, 2); }, Throws<Failure>());
    EXPECT_THAT([] { block_range(1, 0, 0); }, Throws<Failure>());
    EXPECT_THAT([] { block_range(-1, 1, 0); }, Throws<Failure>());
}

}  // namespace
}  // namespace quartet

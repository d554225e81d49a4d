#include "fft/problem/index_order.hpp"

#include <gtest/gtest.h>

namespace quartet::fft {
namespace {

TEST(IndexOrder, FindsEveryElementThatItHas) {
    const IndexOrder orders[] = {
        {2, 3, 5, 1, 10},    // tiles
        {100, 1, 50, 0, 1},  // a block
        {4, 7, 3, 12, 1},    // transposed
        {0, 1, 1, 0, 1},     // a single element
        {6, 4, 4, 0, 1},     // rows with the same indices: one of them is found
    };
    for (const IndexOrder& order : orders) {
        for (std::int64_t row = 0; row < order.rows; ++row) {
            for (std::int64_t column = 0; column < order.columns; ++column) {
                const std::int64_t index = order.index(row, column);
                const auto position = order.position(index);
                ASSERT_TRUE(position.has_value()) << index;
                EXPECT_EQ(order.index(*position / order.columns, *position % order.columns), index);
            }
        }
    }
}

TEST(IndexOrder, DoesNotFindOthers) {
    const IndexOrder transposed{4, 7, 3, 12, 1};
    for (const std::int64_t index : {0, 3, 7, 15, 19, 4 + 7 * 12}) {
        EXPECT_FALSE(transposed.position(index).has_value()) << index;
    }
    EXPECT_FALSE((IndexOrder{0, 5, 0, 1, 1}.position(0).has_value()));
    EXPECT_FALSE((IndexOrder{}.position(0).has_value()));
}

TEST(IndexOrder, GoesBeyond32Bits) {
    const std::int64_t length = std::int64_t{1} << 20;
    const IndexOrder tiles{3, length, length, 1, length};
    EXPECT_EQ(tiles.size(), std::int64_t{1} << 40);
    EXPECT_EQ(tiles.index(0, length - 1), 3 + (length - 1) * length);
    EXPECT_EQ(tiles.position(3 + 5 + (length - 1) * length), 5 * length + length - 1);
}

}  // namespace
}  // namespace quartet::fft

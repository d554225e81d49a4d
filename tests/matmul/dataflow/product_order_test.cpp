#include "matmul/dataflow/product_order.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace quartet::matmul {
namespace {

TEST(ProductOrder, GivesEachReducerKeysWithoutGapsInTheProductsOrder) {
    for (const std::int64_t size : {1, 7, 12, 15}) {
        for (const int reducers : {1, 2, 3, 5}) {
            const Problem problem{size, 3, 1};
            const ProductOrder order(problem, reducers);
            std::vector<std::int64_t> next_key(static_cast<std::size_t>(reducers));
            for (std::int64_t product = 0; product < order.count(); ++product) {
                const WorkItem item = order.item(product);
                const TileIndex target = order.target(product);
                EXPECT_EQ(item.number, product);
                EXPECT_EQ(item.a.tile, (TileIndex{target.row, item.b.tile.row}));
                EXPECT_EQ(item.b.tile, (TileIndex{item.a.tile.column, target.column}));
                EXPECT_EQ(order.is_first(product), item.a.tile.column == 0);
                EXPECT_EQ(order.is_last(product), item.a.tile.column == problem.tiles() - 1);
                EXPECT_EQ(order.tile(order.number_of(target)), target);
                const int reducer = order.reducer_of(target);
                EXPECT_EQ(order.key(product), next_key[static_cast<std::size_t>(reducer)]++);
                EXPECT_EQ(order.product(reducer, order.key(product)), product);
            }
        }
    }
}

TEST(ProductOrder, LeavesOutTilesThatAreDone) {
    for (const int reducers : {1, 2, 3, 5}) {
        const Problem problem{12, 3, 1};
        const auto is_done = [&](TileIndex index) {
            const std::int64_t tile = problem.number(index);
            return tile % 3 == 1 || tile == 5;
        };
        const ProductOrder order(problem, reducers, is_done);
        EXPECT_EQ(order.count(), 10 * problem.tiles());  // of 16 tiles
        std::vector<std::int64_t> next_key(static_cast<std::size_t>(reducers));
        std::int64_t before = -1;
        for (std::int64_t product = 0; product < order.count(); ++product) {
            const std::int64_t tile = order.number_of(order.target(product));
            EXPECT_FALSE(is_done(order.target(product)));
            EXPECT_EQ(tile > before, order.is_first(product));
            before = tile;
            const int reducer = order.reducer_of(order.target(product));
            EXPECT_EQ(order.key(product), next_key[static_cast<std::size_t>(reducer)]++);
            EXPECT_EQ(order.product(reducer, order.key(product)), product);
        }
        EXPECT_EQ(order.tile_from(5), 8);
        EXPECT_EQ(order.tile_from(8), 8);
    }
}

TEST(ProductOrder, OfNothingThatIsLeftHasNoProducts) {
    EXPECT_EQ(ProductOrder({12, 3, 1}, 2, [](TileIndex) { return true; }).count(), 0);
}

}  // namespace
}  // namespace quartet::matmul

#include "matmul/native/tile_schedule.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/check.hpp"

namespace quartet::matmul {
namespace {

using Key = std::tuple<Operand, std::int64_t, std::int64_t>;

Key key(Operand operand, TileIndex tile) {
    return {operand, tile.row, tile.column};
}

/// Runs through a schedule and checks that each product finds its tiles in their slots.
class Simulation {
  public:
    Simulation(const Problem& problem, const Block& block, const Blocking& blocking)
        : problem_(problem), blocking_(blocking), schedule_(problem, block, blocking) {}

    void run() {
        for (std::int64_t number = 0; !schedule_.done(); ++number) {
            const TileProduct product = schedule_.next();
            for (const Fetch& prefetch : product.fetches()) {
                fetch(prefetch, number);
            }
            use(product.a_slot, key(Operand::a, {product.target.row, product.inner}), number);
            use(product.b_slot, key(Operand::b, {product.inner, product.target.column}), number);
            accumulate(product);
        }
    }

    std::int64_t fetches = 0;
    std::int64_t products = 0;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> done;
    std::map<std::pair<std::int64_t, std::int64_t>, int> completed;

  private:
    void fetch(const Fetch& prefetch, std::int64_t number) {
        ASSERT_LT(prefetch.slot, blocking_.slots);
        ++fetches;
        // The prefetch may be issued before the products of the look-ahead: none of them may use
        // the slot.
        const auto last = last_use_.find(prefetch.slot);
        if (last != last_use_.end()) {
            EXPECT_LT(last->second, number - blocking_.lookahead);
        }
        in_slot_[prefetch.slot] = key(prefetch.operand, prefetch.tile);
    }
    void use(std::int64_t slot, const Key& wanted, std::int64_t number) {
        EXPECT_EQ(in_slot_.at(slot), wanted);
        last_use_[slot] = number;
    }
    void accumulate(const TileProduct& product) {
        ++products;
        const std::pair target{product.target.row, product.target.column};
        ASSERT_LT(product.c_slot, blocking_.held());
        EXPECT_TRUE(done.emplace(product.target.row, product.target.column, product.inner).second);
        if (product.first) {
            EXPECT_FALSE(held_.contains(product.c_slot)) << "the slot is still taken";
            held_[product.c_slot] = {target, 0};
        }
        auto& [tile, count] = held_.at(product.c_slot);
        EXPECT_EQ(tile, target);
        EXPECT_EQ(product.last, ++count == problem_.tiles());
        if (product.last) {
            ++completed[target];
            held_.erase(product.c_slot);
        }
    }

    Problem problem_;
    Blocking blocking_;
    TileSchedule schedule_;
    std::map<std::int64_t, Key> in_slot_;
    std::map<std::int64_t, std::int64_t> last_use_;
    std::map<std::int64_t, std::pair<std::pair<std::int64_t, std::int64_t>, int>> held_;
};

Blocking tight(const Block& block, std::int64_t rows, std::int64_t columns,
               std::int64_t lookahead) {
    return {rows, columns, least_slots(block, rows, columns, lookahead), lookahead};
}

TEST(TileSchedule, DoesEachProductOnceWithItsTilesInTheirSlots) {
    const Problem problem{7, 1};
    for (const Block& block : {Block{{0, 7}, {0, 7}}, Block{{2, 7}, {1, 4}}, Block{{6, 7}, {0, 7}},
                               Block{{3, 4}, {5, 6}}}) {
        for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
            for (std::int64_t columns = 1; columns <= block.columns.size(); ++columns) {
                for (const std::int64_t lookahead : {0, 1, 2, 3, 5, 8, 13, 40, 200}) {
                    for (const std::int64_t spare : {0, 1, 5, 200}) {
                        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", ahead "
                                                        << lookahead << ", spare " << spare);
                        Blocking blocking = tight(block, rows, columns, lookahead);
                        blocking.slots += spare;
                        Simulation simulation(problem, block, blocking);
                        simulation.run();
                        ASSERT_EQ(simulation.products, block.tiles() * 7);
                        ASSERT_EQ(std::ssize(simulation.completed), block.tiles());
                    }
                }
            }
        }
    }
}

TEST(TileSchedule, FetchesEachTileOnceWithRoomForAll) {
    const Problem problem{6, 1};
    const Block block{{0, 6}, {1, 5}};
    Simulation simulation(problem, block, {.rows = 2, .columns = 2, .slots = 60, .lookahead = 3});
    simulation.run();
    EXPECT_EQ(simulation.fetches, 6 * 6 + 6 * 4);
}

TEST(TileSchedule, FetchesRowsAndColumnsOfEachPartWithTheFewestSlots) {
    const Problem problem{8, 1};
    const Block block{{0, 8}, {0, 8}};
    Simulation simulation(problem, block, tight(block, 4, 4, 0));
    simulation.run();
    // Four parts of 8 inner indices, 4 + 4 tiles each; at three seams one side of the last index
    // serves again, as far as the slots go.
    const std::int64_t without_reuse = 4 * 8 * 8;
    EXPECT_LT(simulation.fetches, without_reuse);
    EXPECT_GE(simulation.fetches, without_reuse - 3 * 4);
}

TEST(TileSchedule, FetchesNoMoreWithMoreSlots) {
    const Problem problem{9, 1};
    const Block block{{0, 9}, {0, 6}};
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t spare = 0; spare <= 120; spare += 4) {
        Blocking blocking = tight(block, 3, 2, 1);
        blocking.slots += spare;
        Simulation simulation(problem, block, blocking);
        simulation.run();
        EXPECT_LE(simulation.fetches, before) << spare;
        before = simulation.fetches;
    }
    EXPECT_EQ(before, 9 * 15) << "in the end each tile once";
}

TEST(TileSchedule, RestartsWithEmptySlots) {
    const Problem problem{4, 1};
    const Block block{{0, 4}, {0, 4}};
    TileSchedule schedule(problem, block, tight(block, 2, 2, 1));
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    for (auto* fetches : {&first, &second}) {
        schedule.restart();
        while (!schedule.done()) {
            fetches->push_back(schedule.next().prefetch_count);
        }
    }
    EXPECT_EQ(first, second);
}

// The same sums in the same order: the tiles of other parts keep their bits.
TEST(TileSchedule, LeavesOutPartsThatAreDoneAndKeepsTheOrderOfTheOthers) {
    const Problem problem{8, 1};
    const Block block{{0, 8}, {0, 6}};
    const Blocking blocking = tight(block, 3, 2, 4);
    const auto is_done = [](TileIndex tile) { return tile.row < 2 || tile == TileIndex{7, 5}; };
    const auto products = [](TileSchedule schedule) {
        std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> found;
        while (!schedule.done()) {
            const TileProduct product = schedule.next();
            found.emplace_back(product.target.row, product.target.column, product.inner);
        }
        return found;
    };
    auto wanted = products(TileSchedule(problem, block, blocking));
    std::erase_if(wanted, [&](const auto& product) { return std::get<0>(product) < 2; });
    EXPECT_EQ(products(TileSchedule(problem, block, blocking, is_done)), wanted);
    EXPECT_TRUE(TileSchedule(problem, block, blocking, [](TileIndex) { return true; }).done());
}

TEST(TileSchedule, HasNoProductsForAnEmptyBlock) {
    EXPECT_TRUE(TileSchedule({4, 1}, {{2, 2}, {0, 4}}, {}).done());
}

TEST(TileSchedule, ThrowsForTooFewSlots) {
    const Block block{{0, 4}, {0, 4}};
    Blocking blocking = tight(block, 2, 2, 0);
    --blocking.slots;
    EXPECT_THROW(TileSchedule({4, 1}, block, blocking), Failure);
}

// A problem of 2^15 x 2^15 tiles has 2^45 products: they are numbered in 64 bits.
TEST(TileSchedule, CountsProductsBeyond32Bits) {
    const Problem problem{std::int64_t{1} << 15, 1};
    const Block block{{0, 1 << 7}, {0, 1 << 10}};
    TileSchedule schedule(problem, block, tight(block, 1, 1, 0));
    EXPECT_EQ(schedule.count(), std::int64_t{1} << 32);
    EXPECT_EQ(schedule.next().prefetch_count, 2);
}

}  // namespace
}  // namespace quartet::matmul

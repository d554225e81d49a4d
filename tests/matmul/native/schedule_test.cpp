#include "matmul/native/schedule.hpp"

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

/// Plays a schedule, and watches that each product finds its tiles where the loads have put them.
class Player {
  public:
    Player(const Problem& problem, const Block& block, const Blocking& blocking)
        : problem_(problem), blocking_(blocking), schedule_(problem, block, blocking) {}

    void play() {
        for (std::int64_t number = 0; !schedule_.done(); ++number) {
            const Step step = schedule_.next();
            for (int load = 0; load < step.load_count; ++load) {
                bring(step.loads[static_cast<std::size_t>(load)], number);
            }
            use(step.a_slot, key(Operand::a, {step.target.row, step.inner}), number);
            use(step.b_slot, key(Operand::b, {step.inner, step.target.column}), number);
            accumulate(step);
        }
    }

    std::int64_t loads = 0;
    std::int64_t products = 0;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> done;
    std::map<std::pair<std::int64_t, std::int64_t>, int> completed;

  private:
    void bring(const Load& load, std::int64_t number) {
        ASSERT_LT(load.slot, blocking_.slots);
        ++loads;
        // The load may be issued before the products of the look-ahead: none of them may need the
        // slot.
        const auto last = last_use_.find(load.slot);
        if (last != last_use_.end()) {
            EXPECT_LT(last->second, number - blocking_.lookahead);
        }
        in_slot_[load.slot] = key(load.operand, load.tile);
    }
    void use(std::int64_t slot, const Key& wanted, std::int64_t number) {
        EXPECT_EQ(in_slot_.at(slot), wanted);
        last_use_[slot] = number;
    }
    void accumulate(const Step& step) {
        ++products;
        const std::pair target{step.target.row, step.target.column};
        ASSERT_LT(step.c_slot, blocking_.held());
        EXPECT_TRUE(done.emplace(step.target.row, step.target.column, step.inner).second);
        if (step.first) {
            EXPECT_FALSE(held_.contains(step.c_slot)) << "the place is still taken";
            held_[step.c_slot] = {target, 0};
        }
        auto& [tile, count] = held_.at(step.c_slot);
        EXPECT_EQ(tile, target);
        EXPECT_EQ(step.last, ++count == problem_.tiles());
        if (step.last) {
            ++completed[target];
            held_.erase(step.c_slot);
        }
    }

    Problem problem_;
    Blocking blocking_;
    Schedule schedule_;
    std::map<std::int64_t, Key> in_slot_;
    std::map<std::int64_t, std::int64_t> last_use_;
    std::map<std::int64_t, std::pair<std::pair<std::int64_t, std::int64_t>, int>> held_;
};

Blocking tight(const Block& block, std::int64_t rows, std::int64_t columns,
               std::int64_t lookahead) {
    return {rows, columns, least_slots(block, rows, columns, lookahead), lookahead};
}

TEST(Schedule, EachProductIsDoneOnceWithItsTilesInPlace) {
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
                        Player player(problem, block, blocking);
                        player.play();
                        ASSERT_EQ(player.products, block.tiles() * 7);
                        ASSERT_EQ(std::ssize(player.completed), block.tiles());
                    }
                }
            }
        }
    }
}

TEST(Schedule, WithRoomForAllEachTileIsLoadedOnce) {
    const Problem problem{6, 1};
    const Block block{{0, 6}, {1, 5}};
    Player player(problem, block, {.rows = 2, .columns = 2, .slots = 60, .lookahead = 3});
    player.play();
    EXPECT_EQ(player.loads, 6 * 6 + 6 * 4);
}

TEST(Schedule, WithTheFewestSlotsEachPartLoadsItsRowsAndColumns) {
    const Problem problem{8, 1};
    const Block block{{0, 8}, {0, 8}};
    Player player(problem, block, tight(block, 4, 4, 0));
    player.play();
    // Four parts of 8 inner indices, 4 + 4 tiles each; at three seams one side of the last index
    // serves again, as far as the slots go.
    const std::int64_t without_reuse = 4 * 8 * 8;
    EXPECT_LT(player.loads, without_reuse);
    EXPECT_GE(player.loads, without_reuse - 3 * 4);
}

TEST(Schedule, MoreSlotsNeverLoadMore) {
    const Problem problem{9, 1};
    const Block block{{0, 9}, {0, 6}};
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t spare = 0; spare <= 120; spare += 4) {
        Blocking blocking = tight(block, 3, 2, 1);
        blocking.slots += spare;
        Player player(problem, block, blocking);
        player.play();
        EXPECT_LE(player.loads, before) << spare;
        before = player.loads;
    }
    EXPECT_EQ(before, 9 * 15) << "in the end each tile once";
}

TEST(Schedule, BeginsAgainFromEmptySlots) {
    const Problem problem{4, 1};
    const Block block{{0, 4}, {0, 4}};
    Schedule schedule(problem, block, tight(block, 2, 2, 1));
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    for (auto* loads : {&first, &second}) {
        schedule.restart();
        while (!schedule.done()) {
            loads->push_back(schedule.next().load_count);
        }
    }
    EXPECT_EQ(first, second);
}

TEST(Schedule, AnEmptyBlockHasNoSteps) {
    EXPECT_TRUE(Schedule({4, 1}, {{2, 2}, {0, 4}}, {}).done());
}

TEST(Schedule, TooFewSlotsAreAFailure) {
    const Block block{{0, 4}, {0, 4}};
    Blocking blocking = tight(block, 2, 2, 0);
    --blocking.slots;
    EXPECT_THROW(Schedule({4, 1}, block, blocking), Failure);
}

// A problem of 2^15 x 2^15 tiles has 2^45 products: steps are numbered in 64 bits.
TEST(Schedule, StepsAreCountedBeyond32Bits) {
    const Problem problem{std::int64_t{1} << 15, 1};
    const Block block{{0, 1 << 7}, {0, 1 << 10}};
    Schedule schedule(problem, block, tight(block, 1, 1, 0));
    EXPECT_EQ(schedule.count(), std::int64_t{1} << 32);
    EXPECT_EQ(schedule.next().load_count, 2);
}

}  // namespace
}  // namespace quartet::matmul

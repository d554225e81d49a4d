#include "matmul/native/tile_schedule.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <tuple>

#include "core/message_of.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Key = std::tuple<Operand, std::int64_t, std::int64_t>;

/// Runs through a schedule and checks that each product finds its tiles in their slots.
class Simulation {
  public:
    Simulation(const Problem& problem, const Block& block, const Blocking& blocking)
        : problem_(problem), blocking_(blocking), schedule_(problem, block, blocking) {
        for (std::int64_t number = 0; !schedule_.done(); ++number) {
            const TileProduct product = schedule_.next();
            for (const Fetch& one : product.fetches()) {
                fetch(one, number);
            }
            use(product.a(), number);
            use(product.b(), number);
            accumulate(product);
        }
    }

    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> done;
    std::int64_t completed = 0;

  private:
    // The tile may be fetched before the products of the look-ahead: none of them may use the slot.
    void fetch(const Fetch& one, std::int64_t number) {
        ASSERT_LT(one.slot, blocking_.slots);
        const auto last = last_use_.find(one.slot);
        EXPECT_TRUE(last == last_use_.end() || last->second < number - blocking_.lookahead);
        in_slot_[one.slot] = {one.operand, one.tile.row, one.tile.column};
    }
    void use(const Fetch& wanted, std::int64_t number) {
        EXPECT_EQ(in_slot_.at(wanted.slot),
                  (Key{wanted.operand, wanted.tile.row, wanted.tile.column}));
        last_use_[wanted.slot] = number;
    }
    void accumulate(const TileProduct& product) {
        ASSERT_LT(product.c_slot, blocking_.held());
        EXPECT_TRUE(done.emplace(product.target.row, product.target.column, product.inner).second);
        auto& [tile, count] = held_[product.c_slot];
        EXPECT_EQ(product.first, count == 0) << "or the slot is still taken";
        tile = count == 0 ? product.target : tile;
        EXPECT_EQ(tile, product.target);
        EXPECT_EQ(product.last, ++count == problem_.tiles());
        if (product.last) {
            ++completed;
            held_.erase(product.c_slot);
        }
    }

    Problem problem_;
    Blocking blocking_;
    TileSchedule schedule_;
    std::map<std::int64_t, Key> in_slot_;
    std::map<std::int64_t, std::int64_t> last_use_;
    std::map<std::int64_t, std::pair<TileIndex, int>> held_;
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
                        const Simulation simulation(problem, block, blocking);
                        ASSERT_EQ(std::ssize(simulation.done), block.tiles() * 7);
                        ASSERT_EQ(simulation.completed, block.tiles());
                    }
                }
            }
        }
    }
    EXPECT_TRUE(TileSchedule({4, 1}, {{2, 2}, {0, 4}}, {}).done());
}

TEST(TileSchedule, RefusesTooFewSlotsAndCountsBeyond32Bits) {
    const Block block{{0, 4}, {0, 4}};
    Blocking blocking = tight(block, 2, 2, 0);
    --blocking.slots;
    EXPECT_THROW(TileSchedule({4, 1}, block, blocking), Failure);
    // A problem of 2^15 x 2^15 tiles has 2^45 products.
    const Block large{{0, 1 << 7}, {0, 1 << 10}};
    EXPECT_EQ(TileSchedule({1 << 15, 1}, large, tight(large, 1, 1, 0)).count(),
              std::int64_t{1} << 32);
}

TEST(BoundedPlan, RefusesMemoryThatHoldsNoTileAndShowsTheArithmetic) {
    const Problem problem{65536, 8192};
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan_device(problem, whole(problem), {mebibytes(700), mebibytes(32)});
                }),
                AllOf(HasSubstr("800 MiB of GPU memory"), HasSubstr("700 MiB are allowed"),
                      HasSubstr("a tile is 256 MiB"), HasSubstr("take 32 MiB"),
                      HasSubstr("--device-memory"), HasSubstr("--tile")));
    EXPECT_NO_THROW(plan_device(problem, whole(problem), {mebibytes(800), mebibytes(32)}));
}

}  // namespace
}  // namespace quartet::matmul

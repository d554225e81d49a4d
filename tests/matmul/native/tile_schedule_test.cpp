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

    std::int64_t fetches = 0;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> done;
    std::int64_t completed = 0;

  private:
    // The tile may be fetched before the products of the look-ahead: none of them may use the slot.
    void fetch(const Fetch& one, std::int64_t number) {
        ASSERT_LT(one.slot, blocking_.slots);
        ++fetches;
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

TEST(TileSchedule, FetchesRowsAndColumnsOfEachPart) {
    const Problem problem{8, 1};
    const Block block{{0, 8}, {0, 8}};
    // Four parts of 8 inner indices, 4 + 4 tiles each; at three seams one side of the last index
    // serves again, as far as the slots go.
    const std::int64_t without_reuse = 4 * 8 * 8;
    const std::int64_t fewest = Simulation(problem, block, tight(block, 4, 4, 0)).fetches;
    EXPECT_LT(fewest, without_reuse);
    EXPECT_GE(fewest, without_reuse - 3 * 4);
    Blocking ample = tight(block, 4, 4, 3);
    ample.slots += 100;
    EXPECT_EQ(Simulation(problem, block, ample).fetches, 2 * 8 * 8) << "each tile once";
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

constexpr TileMemory unit_tiles{Bytes{1}, Bytes{1}};  // memory counts tiles
const Block whole_problem{{0, 16}, {0, 16}};
const Problem small_problem{16, 1};

TEST(Blocking, MovesLessWithMoreMemoryAndIsAheadTwoRows) {
    Bytes before{1LL << 60};
    for (std::int64_t memory = 5; memory < 900; memory = memory * 3 / 2) {
        const auto blocking =
            choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{memory}, 1);
        ASSERT_TRUE(blocking) << memory;
        EXPECT_LE(buffers_of(blocking->slots, blocking->held(), unit_tiles), Bytes{memory});
        const Traffic traffic = planned_traffic(small_problem, whole_problem, *blocking);
        EXPECT_LE(traffic.read, before + Bytes{before.value / 20}) << memory;
        EXPECT_EQ(traffic.written, small_problem.matrix_bytes());
        before = traffic.read;
    }
    EXPECT_EQ(before, 2 * small_problem.matrix_bytes()) << "in the end each tile once";
    const auto ample = choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2000}, 1);
    EXPECT_EQ(ample->lookahead, 2 * std::min(ample->rows, ample->columns));
    EXPECT_EQ(ample->slots, 2 * 16 * 16) << "more would stay empty";
    EXPECT_FALSE(choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2}))
        << "a tile of each matrix";
}

TEST(PlannedTraffic, OfManyProductsIsWhatIsMovedAtMost) {
    const Block all{{0, 512}, {0, 512}};
    const Blocking blocking = tight(all, 100, 50, 1);
    const Traffic many = planned_traffic({512, 1}, all, blocking);  // 2^27 products
    EXPECT_EQ(many.read, bytes_of<float>(512 * (512 * 11 + 512 * 6)));
    EXPECT_EQ(many.written, bytes_of<float>(512 * 512));
}

// An H200: 50 TFLOP/s of SGEMM, 52 GB/s each way.
TEST(BoundedPlan, CopiesStayFarBelowTheProductsInEightGibibytes) {
    const Problem problem{65536, choose_tile(65536, 1, gibibytes(8))};
    const BoundedPlan plan = plan_device(problem, whole(problem), {gibibytes(8), gibibytes(1)});
    EXPECT_LT(static_cast<double>(plan.traffic.read.value) / 52e9,
              0.2 * problem.flops().value / 50e12);
    EXPECT_LE(buffers_of(plan.blocking.slots, plan.blocking.held(), device_tile(problem)),
              gibibytes(7));
}

TEST(BoundedPlan, ChoosesTheLargestTileForMemoryAndMatrix) {
    EXPECT_EQ(choose_tile(65536, 1, gibibytes(8)), 8192);
    EXPECT_EQ(choose_tile(65536, 1, gibibytes(8) - Bytes{1}), 4096);
    EXPECT_EQ(choose_tile(65536, 16, gibibytes(100)), 4096) << "each rank has a block of 16384";
    EXPECT_EQ(choose_tile(2048, 64, gibibytes(100)), 1024) << "smaller ones fill no GPU";
    EXPECT_EQ(choose_tile(100, 1, gibibytes(100)), 100);
    EXPECT_EQ(device_probe_edge(65536, gibibytes(100)), 8192);
    const std::int64_t edge = device_probe_edge(65536, mebibytes(100));
    EXPECT_LE(3 * bytes_of<float>(edge * edge).value, mebibytes(100).value / 8);
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

TEST(BoundedPlan, TilesInFilesPassThroughAFewSlotsBeforeAGpu) {
    const Problem problem{4096, 256};
    const auto plan = [&](Bytes on_host) {
        return plan_device(problem, whole(problem), {mebibytes(10), {}}, MemoryBudget{on_host, {}});
    };
    EXPECT_THAT(message_of<UsageError>([&] { plan(kibibytes(600)); }),
                AllOf(HasSubstr("600 KiB are allowed"), HasSubstr("--memory")));
    const BoundedPlan passing = plan(mebibytes(2));
    EXPECT_EQ(passing.traffic.read,
              plan_device(problem, whole(problem), {mebibytes(10), {}}).traffic.read);
    EXPECT_LE(buffers_of(passing.file_slots(), StagedSink::slots, host_tile(problem)),
              mebibytes(2));
}

}  // namespace
}  // namespace quartet::matmul

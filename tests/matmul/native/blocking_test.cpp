#include "matmul/native/blocking.hpp"

#include <gmock/gmock.h>

namespace quartet::matmul {
namespace {

constexpr TileMemory unit_tiles{Bytes{1}, Bytes{1}};  // memory counts tiles
const Block whole_problem{{0, 16}, {0, 16}};
const Problem small_problem{16, 1};

TEST(Blocking, TakesTheLeastTrafficThatFits) {
    for (const std::int64_t memory : {5, 7, 12, 30, 64, 100, 400, 900}) {
        const auto blocking =
            choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{memory}, 1);
        ASSERT_TRUE(blocking) << memory;
        EXPECT_LE(buffers_of(*blocking, unit_tiles), Bytes{memory});
        EXPECT_GE(blocking->lookahead, 1);
        const Traffic traffic = planned_traffic(small_problem, whole_problem, *blocking);
        for (std::int64_t rows = 1; rows <= 16; ++rows) {
            for (std::int64_t columns = 1; columns <= 16; ++columns) {
                const Blocking other{rows, columns, least_slots(whole_problem, rows, columns, 1),
                                     1};
                if (buffers_of(other, unit_tiles) <= Bytes{memory}) {
                    // What successive parts share is left out of the choice: a hundredth.
                    const auto least =
                        planned_traffic(small_problem, whole_problem, other).read.value;
                    EXPECT_LE(traffic.read.value, least + least / 50)
                        << memory << ": " << rows << " x " << columns;
                }
            }
        }
    }
}

TEST(PlannedTraffic, OfManyProductsIsWhatIsMovedAtMost) {
    const Block all{{0, 512}, {0, 512}};
    const Blocking blocking{100, 50, least_slots(all, 100, 50, 1), 1};
    const Traffic many = planned_traffic({512, 1}, all, blocking);  // 2^27 products
    EXPECT_EQ(many.read, bytes_of<float>(512 * (512 * 11 + 512 * 6)));
    EXPECT_EQ(many.written, bytes_of<float>(512 * 512));

    const Block fewer{{0, 256}, {0, 256}};
    const Traffic walked = planned_traffic({256, 1}, fewer, blocking);  // 2^24
    const Bytes most = bytes_of<float>(256 * (256 * 6 + 256 * 3));
    EXPECT_LE(walked.read, most);
    EXPECT_GE(walked.read, most - Bytes{most.value / 20}) << "parts share a little";
}

TEST(Blocking, MovesLessWithMoreMemory) {
    Bytes before{1LL << 60};
    for (std::int64_t memory = 3; memory < 900; memory = memory * 3 / 2) {
        const auto blocking =
            choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{memory}, {});
        ASSERT_TRUE(blocking) << memory;
        const Traffic traffic = planned_traffic(small_problem, whole_problem, *blocking);
        EXPECT_LE(traffic.read, before + Bytes{before.value / 20}) << memory;
        EXPECT_EQ(traffic.written, small_problem.matrix_bytes());
        before = traffic.read;
    }
    EXPECT_EQ(before, 2 * small_problem.matrix_bytes()) << "in the end each tile once";
}

TEST(Blocking, StaysAboveTheLowerBoundAndNotFarFromIt) {
    for (const std::int64_t memory : {30, 64, 100}) {
        const auto best = best_blocking(small_problem, whole_problem, unit_tiles, Bytes{memory});
        const Bytes moved = planned_traffic(small_problem, whole_problem, *best).sum();
        // A tile of one element: the memory holds as many floats as tiles.
        const Bytes bound = lower_bound(small_problem, 1, 4 * Bytes{memory});
        EXPECT_GE(moved, bound);
        EXPECT_LE(moved.value, 2 * bound.value) << memory;
    }
}

TEST(Blocking, HasTheLowerBoundOfTheFormula) {
    // 4 (2 N^3 / (P sqrt S) + N^2 / P) with N = 1024, P = 4, S = 2^20 floats.
    EXPECT_EQ(lower_bound({1024, 64}, 4, mebibytes(4)).value, 4 * (2 * 1024 * 1024 / 4 + 262144));
}

TEST(Blocking, LooksAheadAsAskedOrTwoRows) {
    EXPECT_EQ(choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2000}, 5)->lookahead,
              5);
    EXPECT_EQ(choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2000}, 0)->lookahead,
              0);
    const auto own = choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2000}, {});
    EXPECT_EQ(own->lookahead, 2 * std::min(own->rows, own->columns));
    EXPECT_EQ(own->slots, 2 * 16 * 16) << "more would stay empty";
}

TEST(Blocking, HoldsNoMoreTilesThanAsked) {
    for (const std::int64_t most : {1, 2, 5, 16, 100}) {
        const auto blocking =
            choose_blocking(small_problem, whole_problem, unit_tiles, Bytes{2000}, {}, most);
        EXPECT_LE(blocking->held(), most);
        EXPECT_GT(2 * blocking->held(), most) << "and nearly as many";
    }
}

TEST(Blocking, FitsInTheLeastMemoryAndNotInLess) {
    for (const std::optional<int> lookahead :
         {std::optional<int>(), std::optional(0), std::optional(3)}) {
        const Bytes least = least_memory(unit_tiles, lookahead);
        EXPECT_TRUE(choose_blocking(small_problem, whole_problem, unit_tiles, least, lookahead));
        EXPECT_FALSE(
            choose_blocking(small_problem, whole_problem, unit_tiles, least - Bytes{1}, lookahead));
    }
    EXPECT_EQ(least_memory(unit_tiles, {}), Bytes{3}) << "one tile of each matrix";
}

TEST(Blocking, CountsRaggedTilesByTheirElements) {
    const Problem ragged{10, 4};
    const Block all{{0, 3}, {0, 3}};
    const Traffic traffic = planned_traffic(ragged, all, {3, 3, 18, 2});
    EXPECT_EQ(traffic.read, Bytes{2 * 400});
    EXPECT_EQ(traffic.written, Bytes{400});
}

TEST(Blocking, MovesNothingOnIdleRanks) {
    const Block none{{0, 0}, {0, 16}};
    const auto blocking = choose_blocking(small_problem, none, unit_tiles, Bytes{100}, {});
    EXPECT_EQ(planned_traffic(small_problem, none, *blocking).sum(), Bytes{});
}

}  // namespace
}  // namespace quartet::matmul

#include "fft/problem/problem.hpp"

#include <gmock/gmock.h>

#include <set>

#include "core/data_source.hpp"
#include "core/message_of.hpp"

namespace quartet::fft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FftProblem, CountsOperationsAndTraffic) {
    const Problem problem{std::int64_t{1} << 31, 128, ResultOrder::transposed};
    const bench::Work work = problem.work(4);
    EXPECT_EQ(work.unit, bench::RateUnit::gflops);
    EXPECT_EQ(work.flops.value, 5.0 * 31 * 0x1p31);
    EXPECT_EQ(work.bytes.value, std::int64_t{1} << 37);
    EXPECT_EQ(work.workers, 4);
}

TEST(FftProblem, TakesTilesThatDivideThePointsOnly) {
    Options options;
    options.tiles = 50;
    EXPECT_EQ(problem(options, 1000, 3).length(), 20);
    options.tiles = 48;
    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(problem(options, 1000, 3)); }),
                AllOf(HasSubstr("--tiles"), HasSubstr("48"), HasSubstr("use 50")));
}

// Every rank's indices together are all of them, once.
TEST(FftProblem, DistributesInputAndOutput) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{6, 10}, {10, 6}, {1, 7}, {7, 1}, {3, 3}}) {
            const Problem problem{tiles * length, tiles, order};
            for (const int ranks : {1, 2, 4}) {
                std::set<std::int64_t> n;
                std::set<std::int64_t> k;
                for (int rank = 0; rank < ranks; ++rank) {
                    const IndexOrder input = problem.input_order(ranks, rank);
                    const IndexOrder output = problem.output_order(ranks, rank);
                    for (std::int64_t row = 0; row < input.rows; ++row) {
                        for (std::int64_t column = 0; column < input.columns; ++column) {
                            n.insert(input.index(row, column));
                        }
                    }
                    for (std::int64_t row = 0; row < output.rows; ++row) {
                        for (std::int64_t column = 0; column < output.columns; ++column) {
                            k.insert(output.index(row, column));
                        }
                    }
                }
                EXPECT_EQ(std::ssize(n), problem.points);
                EXPECT_EQ(std::ssize(k), problem.points);
                EXPECT_EQ(*n.rbegin(), problem.points - 1);
                EXPECT_EQ(*k.rbegin(), problem.points - 1);
            }
        }
    }
}

TEST(FftData, IsAFunctionOfSeedAndIndex) {
    std::vector<Point> all(60);
    fill_points(all, 5, 0, 1);
    std::vector<Point> tile(10);
    fill_points(tile, 5, 2, 6);
    for (std::size_t m = 0; m < tile.size(); ++m) {
        EXPECT_EQ(tile[m], all[2 + 6 * m]);
    }
    const DataSource source(5, "fft/x");
    EXPECT_EQ(all[7].real(), source.uniform_double(14) - 0.5);
    EXPECT_EQ(all[7].imag(), source.uniform_double(15) - 0.5);
    std::vector<Point> other(60);
    fill_points(other, 6, 0, 1);
    EXPECT_NE(other, all);
}

TEST(FftData, FillsTilesPartByPart) {
    const Problem problem{60, 6};
    std::vector<Point> whole(60);
    for (std::int64_t tile = 0; tile < 6; ++tile) {
        fill_points(std::span(whole).subspan(static_cast<std::size_t>(10 * tile), 10), 5, tile, 6);
    }
    for (const std::int64_t size : {1, 7, 10, 25, 60}) {
        std::vector<Point> parts(60);
        for (std::int64_t first = 0; first < 60; first += size) {
            fill_tiles(std::span(parts).subspan(
                           static_cast<std::size_t>(first),
                           static_cast<std::size_t>(std::min(size, std::int64_t{60} - first))),
                       5, problem, first);
        }
        EXPECT_EQ(parts, whole) << size;
    }
}

TEST(FftData, GoesBeyond32Bits) {
    std::vector<Point> tile(2);
    const std::int64_t far = std::int64_t{1} << 40;
    fill_points(tile, 1, far, 3);
    EXPECT_EQ(tile[1].real(), DataSource(1, "fft/x").uniform_double(2 * (far + 3)) - 0.5);
}

using testing::ElementsAre;

std::int64_t power(int exponent) {
    return std::int64_t{1} << exponent;
}

TEST(Divisors, AreAllOfThemAscending) {
    EXPECT_THAT(divisors(1), ElementsAre(1));
    EXPECT_THAT(divisors(36), ElementsAre(1, 2, 3, 4, 6, 9, 12, 18, 36));
    EXPECT_THAT(divisors(1009), ElementsAre(1, 1009));
    EXPECT_EQ(divisors(power(40)).size(), 41U);
}

TEST(DefaultTiles, AreTheFewestThatFitTheCache) {
    EXPECT_EQ(default_tiles(power(24), 2), power(24) / longest_tile(power(24)));
    for (const int exponent : {20, 24, 26, 28, 32, 40}) {
        const std::int64_t points = power(exponent);
        for (const int ranks : {1, 2, 4, 64}) {
            const std::int64_t tiles = default_tiles(points, ranks);
            EXPECT_EQ(points % tiles, 0);
            EXPECT_EQ(tiles % ranks, 0);
            EXPECT_LE(points / tiles, longest_tile(points));
        }
    }
}

TEST(DefaultTiles, StayBalancedForLargeTransforms) {
    EXPECT_EQ(default_tiles(power(30), 2), power(15));
    EXPECT_EQ(default_tiles(power(32), 2), power(16));
}

TEST(DefaultTiles, GiveEachRankWholeCellsWhereTheyCan) {
    const std::int64_t points = std::int64_t{48} * 5 * 5 * 7 * 7 * 81;  // 2^4 3^5 5^2 7^2
    const std::int64_t tiles = default_tiles(points, 2);
    EXPECT_EQ(tiles % 2, 0) << "all factors of 2 but one would leave ragged blocks";
    EXPECT_LE(points / tiles, longest_tile(points));
    EXPECT_EQ(default_tiles(power(14) * 9, 2), 18);
}

TEST(DefaultTiles, AreAMultipleOfTheRanksWhereThereIsOne) {
    EXPECT_EQ(default_tiles(3000000, 3) % 3, 0);
    EXPECT_EQ(default_tiles(2 * 1000003, 2), 2) << "tiles too long for the cache, but evenly dealt";
}

TEST(DefaultTiles, AreNearlyEvenWhereNoNumberIsAMultipleOfTheRanks) {
    // 16 tiles of 2^13 fit the cache, too, but give a rank 6 of them: 12.5% more than its share.
    EXPECT_EQ(default_tiles(power(17), 3), 32);
    EXPECT_EQ(default_tiles(power(24), 3), 2048) << "683 of a share of 682.7";
    EXPECT_EQ(default_tiles(power(20), 33), 128) << "128 are 6% off, 2048 nearly 5%";
    EXPECT_EQ(default_tiles(power(26), 1000), power(14))
        << "17 tiles of 5 bins; of 2^13, 9 of 9, in two blocks";
}

TEST(DefaultTiles, ForAwkwardSizesDivideThePoints) {
    for (const std::int64_t points : {1, 2, 3, 5, 7, 8, 9, 100, 1009, 1000003, 4096}) {
        for (const int ranks : {1, 2, 3, 4, 7}) {
            const std::int64_t tiles = default_tiles(points, ranks);
            ASSERT_GE(tiles, 1);
            EXPECT_EQ(points % tiles, 0) << points << " on " << ranks;
        }
    }
    EXPECT_EQ(default_tiles(1000003, 4), 1) << "a prime";
}

TEST(NearestDivisor, IsNearByRatio) {
    EXPECT_EQ(nearest_divisor(power(24), 1000), 1024);
    EXPECT_EQ(nearest_divisor(100, 7), 5);
    EXPECT_EQ(nearest_divisor(1009, 30), 1);
    EXPECT_EQ(nearest_divisor(16, 1000), 16);
}

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

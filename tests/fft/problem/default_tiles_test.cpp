#include "fft/problem/default_tiles.hpp"

#include <gmock/gmock.h>

namespace quartet::fft {
namespace {

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

}  // namespace
}  // namespace quartet::fft

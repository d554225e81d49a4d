#include "core/units.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/units.hpp"

namespace quartet {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

// 128 bits hold every result.
__extension__ using Wide = __int128;

std::int64_t clamped(Wide exact) {
    return exact > most ? most : exact < least ? least : static_cast<std::int64_t>(exact);
}

TEST(SaturatedArithmetic, IsExactOrStaysAtTheLimit) {
    constexpr std::array values{least,
                                least + 1,
                                least / 2 - 1,
                                least / 2,
                                std::int64_t{-3037000500},
                                std::int64_t{-2},
                                std::int64_t{-1},
                                std::int64_t{0},
                                std::int64_t{1},
                                std::int64_t{2},
                                std::int64_t{3037000499},
                                std::int64_t{3037000500},
                                most / 2,
                                most / 2 + 1,
                                most - 1,
                                most};
    for (const std::int64_t a : values) {
        for (const std::int64_t b : values) {
            EXPECT_EQ(saturated_sum(a, b), clamped(static_cast<Wide>(a) + b)) << a << " " << b;
            EXPECT_EQ(saturated_difference(a, b), clamped(static_cast<Wide>(a) - b))
                << a << " " << b;
            EXPECT_EQ(saturated_product(a, b), clamped(static_cast<Wide>(a) * b)) << a << " " << b;
        }
    }
}

TEST(SaturatedArithmetic, KeepsAbsurdAmountsOfMemoryAbsurd) {
    // A matrix of 2^30 x 2^30 floats, thrice, on four ranks.
    const Bytes matrix = bytes_of<float>(std::int64_t{1} << 60);
    EXPECT_EQ(3 * matrix + 4 * matrix, Bytes{most});
    EXPECT_EQ(bytes_of<double>(std::int64_t{1} << 60), Bytes{most});
    EXPECT_EQ(gibibytes(std::int64_t{1} << 40), Bytes{most});
    EXPECT_EQ(Bytes{least} - Bytes{1}, Bytes{least});
}

}  // namespace
}  // namespace quartet

#include "fft/four_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace quartet::fft {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::complex<long double> by_definition(std::uint64_t numerator, std::uint64_t denominator) {
    return std::polar(1.0L, -2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(numerator) /
                                static_cast<long double>(denominator));
}

TEST(RootOfUnity, IsTheDefinitionAllAroundTheCircle) {
    for (const std::uint64_t denominator : {1U, 2U, 3U, 8U, 24U, 1000U, 1009U}) {
        for (std::uint64_t numerator = 0; numerator <= 2 * denominator; ++numerator) {
            const auto difference = std::abs(root_of_unity(numerator, denominator) -
                                             by_definition(numerator, denominator));
            EXPECT_LE(difference, 1e-17L) << numerator << " / " << denominator;
        }
    }
}

TEST(RootOfUnity, IsExactOnTheAxesAndRelativelySoBesideThem) {
    EXPECT_EQ(root_of_unity(0, 4), std::complex<long double>(1, 0));
    EXPECT_EQ(root_of_unity(3, 12).real(), 0.0L);
    EXPECT_EQ(root_of_unity(6, 12).imag(), 0.0L);
    const std::uint64_t large = std::uint64_t{1} << 60;
    const long double sine = -root_of_unity(large / 2 - 1, large).imag();  // of pi - 2 pi / large
    const long double expected =
        2 * std::numbers::pi_v<long double> / static_cast<long double>(large);
    EXPECT_NEAR(static_cast<double>(sine / expected), 1, epsilon);
}

TEST(RootsOfUnity, AreWithinTwoRoundingsForAnyOrder) {
    std::mt19937_64 engine(1);
    for (const std::int64_t order :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{210}, std::int64_t{4096},
          std::int64_t{1} << 31, (std::int64_t{1} << 32) + 15, std::int64_t{1} << 40}) {
        const RootsOfUnity roots(order);
        const auto n = static_cast<std::uint64_t>(order);
        for (int sample = 0; sample < 1000; ++sample) {
            const std::uint64_t exponent = sample == 0 ? n - 1 : engine() % n;
            const std::complex<long double> found(roots(exponent));
            EXPECT_LE(std::abs(found - root_of_unity(exponent, n)), 2 * epsilon)
                << exponent << " of " << order;
        }
    }
}

TEST(RootsOfUnity, TakeProductsOfExponentsModuloTheOrder) {
    const RootsOfUnity roots(std::int64_t{1} << 40);
    const std::uint64_t a = (std::uint64_t{1} << 39) + 5;
    const std::uint64_t b = (std::uint64_t{1} << 38) + 3;
    // (2^39 + 5) (2^38 + 3) = 3 2^39 + 5 2^38 + 15 = 11 2^38 + 15 modulo 2^40
    EXPECT_EQ(roots.of_product(a, b), roots(3 * (std::uint64_t{1} << 38) + 15));
}

}  // namespace
}  // namespace quartet::fft

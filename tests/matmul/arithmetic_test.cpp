#include "matmul/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/trace.hpp"
#include "device/host/host_device.hpp"

namespace quartet::matmul {
namespace {

enum class Rounding { nearest, cut };

/// A number with so many bits of its mantissa, the first one included.
float keep(float value, unsigned bits, Rounding rounding = Rounding::nearest) {
    const unsigned drop = 24 - bits;
    auto word = std::bit_cast<std::uint32_t>(value);
    if (rounding == Rounding::nearest && drop > 0) {
        word += 1U << (drop - 1);
    }
    return std::bit_cast<float>(word & ~((1U << drop) - 1));
}

float to_half(float value) {
    constexpr float least = 0x1p-24F;  // subnormal numbers are multiples of it
    return std::abs(value) < 0x1p-14F ? std::nearbyint(value / least) * least : keep(value, 11);
}

/// What a library makes of its numbers before it multiplies, and of each sum.
struct Library {
    std::function<float(float)> of_a = [](float value) { return value; };
    std::function<float(float)> of_b = [](float value) { return value; };
    std::function<float(float)> of_sums = [](float value) { return value; };
};

Multiply by(const Library& library) {
    return [library](std::int64_t edge, device::View<const float> a, device::View<const float> b,
                     device::View<float> c) {
        const auto at = [edge](std::int64_t row, std::int64_t column) {
            return static_cast<std::size_t>(row * edge + column);
        };
        std::vector<float> left;
        std::vector<float> right;
        std::ranges::transform(a.span(), std::back_inserter(left), library.of_a);
        std::ranges::transform(b.span(), std::back_inserter(right), library.of_b);
        for (std::int64_t row = 0; row < edge; ++row) {
            for (std::int64_t column = 0; column < edge; ++column) {
                float sum = 0;
                for (std::int64_t inner = 0; inner < edge; ++inner) {
                    sum = library.of_sums(sum + left[at(row, inner)] * right[at(inner, column)]);
                }
                c.span()[at(row, column)] = sum;
            }
        }
    };
}

Library of_inputs(const std::function<float(float)>& round) {
    return {.of_a = round, .of_b = round};
}

class Arithmetic : public testing::TestWithParam<int> {
  protected:
    std::string found(const Multiply& multiply) {
        return arithmetic_of(*device, GetParam(), multiply);
    }
    std::string found(const Library& library) { return found(by(library)); }

    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
};

INSTANTIATE_TEST_SUITE_P(Tiles, Arithmetic, testing::Values(1, 100, 1024));

TEST_P(Arithmetic, IsFloat32OfAnyLibraryThatHasIt) {
    const auto stream = device->make_stream("compute");
    EXPECT_EQ(found(multiply_on(*device, *stream)), "fp32");
    EXPECT_EQ(found(Library{}), "fp32") << "one sum after the other";
}

TEST_P(Arithmetic, KnowsTheFormatsOfRoundedInputs) {
    for (const Rounding rounding : {Rounding::nearest, Rounding::cut}) {
        const auto bits = [rounding](unsigned count) {
            return of_inputs([=](float value) { return keep(value, count, rounding); });
        };
        EXPECT_EQ(found(bits(11)), "tf32");
        EXPECT_EQ(found(bits(8)), "bf16");
        EXPECT_EQ(found(bits(13)), "other");
        EXPECT_EQ(found(bits(23)), "other") << "a single bit less";
        const auto two = [=](float value) {
            const float high = keep(value, 11, rounding);
            return high + keep(value - high, 11, rounding);
        };
        EXPECT_EQ(found(of_inputs(two)), "other");
    }
    EXPECT_EQ(found(of_inputs(to_half)), "other");
}

TEST_P(Arithmetic, SeesNarrowSums) {
    EXPECT_EQ(found(Library{.of_sums = [](float value) { return keep(value, 11); }}),
              "tf32 with narrow sums");
    EXPECT_EQ(
        found(Library{
            .of_sums = [](float value) { return value < 0x1p16F ? value : keep(value, 14); }}),
        "fp32 with narrow sums");
}

TEST_P(Arithmetic, IsNoneThatIsKnownWhereNothingOrNaNComesOut) {
    EXPECT_EQ(found(of_inputs([](float) { return 0.0F; })), "other with narrow sums");
    EXPECT_EQ(found(of_inputs([](float) { return std::nanf(""); })), "other with narrow sums");
}

}  // namespace
}  // namespace quartet::matmul

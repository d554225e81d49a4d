#include "device/host/fft/small_transform.hpp"

#include <gtest/gtest.h>

#include <random>

#include "device/host/fft/two_levels.hpp"
#include "support/reference_transform.hpp"

namespace quartet::device {
namespace {

using Point = std::complex<double>;

// Eight transforms of one length, one in each lane.
std::vector<std::vector<Point>> transform(const std::vector<std::vector<Point>>& inputs,
                                          int length) {
    const SmallTransform plan(length);
    std::vector<SimdComplex> x(static_cast<std::size_t>(length));
    std::vector<SimdComplex> result(x.size());
    std::vector<SimdComplex> work(static_cast<std::size_t>(plan.work_size()));
    for (std::size_t lane = 0; lane < simd_width; ++lane) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j].re[lane] = inputs[lane][j].real();
            x[j].im[lane] = inputs[lane][j].imag();
        }
    }
    plan.run([&](int j) { return x[static_cast<std::size_t>(j)]; },
             [&](int k, const SimdComplex& value) { result[static_cast<std::size_t>(k)] = value; },
             work.data());
    std::vector<std::vector<Point>> outputs(simd_width);
    for (std::size_t lane = 0; lane < simd_width; ++lane) {
        for (const SimdComplex& value : result) {
            outputs[lane].emplace_back(value.re[lane], value.im[lane]);
        }
    }
    return outputs;
}

TEST(SmallTransform, IsTheTransformForEveryLengthThatItSupports) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int supported = 0;
    for (int length = 1; length <= SmallTransform::longest; ++length) {
        if (!SmallTransform::supports(length)) {
            continue;
        }
        ++supported;
        std::vector<std::vector<Point>> inputs(simd_width);
        for (auto& input : inputs) {
            for (int j = 0; j < length; ++j) {
                input.emplace_back(uniform(engine), uniform(engine));
            }
        }
        const auto outputs = transform(inputs, length);
        for (std::size_t lane = 0; lane < simd_width; ++lane) {
            EXPECT_LE(relative_error(outputs[lane], reference_transform(inputs[lane])),
                      rounding_bound(inputs[lane].size()))
                << "length " << length << ", lane " << lane;
        }
    }
    EXPECT_EQ(supported, 77) << "numbers up to 256 without a prime factor above 7";
}

TEST(SmallTransform, SupportsNoOtherLengths) {
    for (const std::int64_t length : {-4, 0, 11, 22, 143, 257, 512}) {
        EXPECT_FALSE(SmallTransform::supports(length)) << length;
    }
    EXPECT_THROW(SmallTransform(11), Failure);
}

TEST(SimdComplex, TransposesAndInterleaves) {
    Vector rows[simd_width];
    for (int row = 0; row < simd_width; ++row) {
        for (int column = 0; column < simd_width; ++column) {
            rows[row][column] = 10 * row + column;
        }
    }
    transpose(rows);
    for (int row = 0; row < simd_width; ++row) {
        for (int column = 0; column < simd_width; ++column) {
            EXPECT_EQ(rows[row][column], 10 * column + row);
        }
    }

    double pairs[17];  // from an odd address
    for (int index = 0; index < 17; ++index) {
        pairs[index] = index;
    }
    const SimdComplex lanes = load_interleaved(pairs + 1);
    for (int lane = 0; lane < simd_width; ++lane) {
        EXPECT_EQ(lanes.re[lane], 1 + 2 * lane);
        EXPECT_EQ(lanes.im[lane], 2 + 2 * lane);
    }
    const SimdComplex again = interleaved(lanes);
    for (int lane = 0; lane < simd_width; ++lane) {
        EXPECT_EQ(again.re[lane], pairs[1 + lane]);
        EXPECT_EQ(again.im[lane], pairs[1 + simd_width + lane]);
    }
}

TEST(TwoLevels, FindsTwoSupportedFactors) {
    for (const std::int64_t length : {64, 72, 4096, 8192, 65536, 11025, 100 * 100}) {
        const auto levels = two_levels(length, 8, 8);
        ASSERT_TRUE(levels.has_value()) << length;
        EXPECT_EQ(levels->first * levels->second, length);
        EXPECT_GE(std::min(levels->first, levels->second), 8);
    }
    EXPECT_EQ(two_levels(72, 8, 8)->first, 8) << "a multiple of 8 first";
    for (const std::int64_t length : {1, 32, 49, 75, 64 * 11, 2 * 65536}) {
        EXPECT_FALSE(two_levels(length, 8, 8).has_value()) << length;
    }
}

}  // namespace
}  // namespace quartet::device

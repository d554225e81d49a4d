#include "matmul/verify.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

/// A number whose bits after so many of its mantissa are cut off.
float cut(float value, unsigned bits) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~((1U << (24 - bits)) - 1));
}

float unchanged(float value) {
    return value;
}

using Change = std::function<float(float)>;

/// Tiles of A and B, and of C as a float32 loop computes them from changed A and B, one product
/// after the other: in the order of k.
class FakeProduct final : public Product {
  public:
    explicit FakeProduct(const Problem& problem, const Change& change = unchanged)
        : problem_(problem),
          a_(whole_matrix(problem, "A")),
          b_(whole_matrix(problem, "B")),
          c_(a_.size()) {
        const auto n = static_cast<std::size_t>(problem.size);
        Matrix changed(n * n);
        std::ranges::transform(b_, changed.begin(), change);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                const float left = change(a_[i * n + k]);
                for (std::size_t j = 0; j < n; ++j) {
                    c_[i * n + j] += left * changed[k * n + j];
                }
            }
        }
    }

    void run(device::Stream&) override {}
    [[nodiscard]] std::string note() const override { return {}; }
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return last_ = tile_of(problem_, operand == Operand::a ? a_ : b_, tile);
    }
    std::span<const float> result(TileIndex tile) override {
        return last_ = tile_of(problem_, c_, tile);
    }
    float& at(std::int64_t row, std::int64_t column) {
        return c_[static_cast<std::size_t>(row * problem_.size + column)];
    }

  private:
    Problem problem_;
    Matrix a_;
    Matrix b_;
    Matrix c_;
    std::vector<float> last_;
};

class FreivaldsTest : public testing::Test {
  protected:
    Trace trace;
    const std::unique_ptr<device::Device> device = device::make_host_device({}, trace);

    /// The check of a block of the product, ready.
    Freivalds made(const Problem& of, const Block& block, Product& product,
                   device::Math math = device::Math::fp32) {
        device::Arena arena(*device, device::Arena::Mode::allocate);
        Freivalds own(arena, of, block, 1, math);
        own.set_up(product);
        return own;
    }

    const Problem problem{200, 48};  // five tiles, the last of 8
    const Block all{{0, 5}, {0, 5}};
    FakeProduct tiles{problem};
    const Freivalds check = made(problem, all, tiles);
};

// The standard deviation of a row is 0.15 of the bound where sums are made one after the other, as
// here. The largest of 16384 normal values is about 4.1 standard deviations, hardly ever 5.5.
TEST_F(FreivaldsTest, HasABoundThatSoundProductsInTheWorstOrderComeNear) {
    const Problem large{1024, 64};
    FakeProduct sound(large);
    const double deviation = made(large, {{0, 16}, {0, 16}}, sound).deviation(sound);
    EXPECT_GT(deviation, 0.3) << "or the bound hides errors";
    EXPECT_LT(deviation, 0.83) << "or sound products will be called wrong";
}

TEST_F(FreivaldsTest, PassesSmallProducts) {
    for (const std::int64_t size : {1, 2, 3, 5, 8, 13}) {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const Problem small{size, 4, seed};
            const std::int64_t edge = small.tiles();
            FakeProduct sound(small);
            const Freivalds own = made(small, {{0, edge}, {0, edge}}, sound);
            EXPECT_LT(own.deviation(sound), 0.7) << size << ", seed " << seed;
        }
    }
}

// Numbers that are cut off, all of them to one side, are the worst of TF32.
TEST_F(FreivaldsTest, AllowsForTheBitsThatTf32CutsOff) {
    FakeProduct fewer_bits(problem, [](float value) { return cut(value, 11); });
    const Freivalds exact = made(problem, all, fewer_bits);
    const Freivalds tolerant = made(problem, all, fewer_bits, device::Math::tf32);
    EXPECT_GT(exact.deviation(fewer_bits), 10);
    EXPECT_GT(tolerant.deviation(fewer_bits), 0.001);
    EXPECT_LT(tolerant.deviation(fewer_bits), 0.5);
    fewer_bits.at(100, 17) += static_cast<float>(2.5 * tolerant.bound(0));
    EXPECT_GT(tolerant.deviation(fewer_bits), 1);
}

TEST_F(FreivaldsTest, FindsOneElementThatIsWrongByTwiceTheBound) {
    for (const auto& [row, column] :
         {std::pair(0, 0), std::pair(199, 199), std::pair(100, 17), std::pair(60, 150)}) {
        const auto wrong = static_cast<float>(2.5 * check.bound(column / 48));
        EXPECT_LT(wrong, 0.02F * tiles.at(row, column)) << "a small part of the element";
        tiles.at(row, column) += wrong;
        EXPECT_GT(check.deviation(tiles), 1);
        tiles.at(row, column) -= wrong;
    }
    EXPECT_LT(check.deviation(tiles), 0.8);
}

TEST_F(FreivaldsTest, FindsSwappedTiles) {
    for (std::int64_t row = 0; row < 48; ++row) {
        for (std::int64_t column = 0; column < 48; ++column) {
            std::swap(tiles.at(row, column), tiles.at(48 + row, 96 + column));
        }
    }
    EXPECT_GT(check.deviation(tiles), 10);
}

TEST_F(FreivaldsTest, FindsNotANumberAndInfinity) {
    tiles.at(3, 3) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(check.deviation(tiles) <= 1);
    tiles.at(3, 3) = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(check.deviation(tiles) <= 1);
}

TEST_F(FreivaldsTest, ChecksARanksOwnBlock) {
    const Block block{{1, 3}, {4, 5}};
    const Freivalds own = made(problem, block, tiles);
    EXPECT_LT(own.deviation(tiles), 0.8);
    EXPECT_EQ(own.bound(4), check.bound(4));
    tiles.at(0, 0) = 0;
    EXPECT_LT(own.deviation(tiles), 0.8) << "of another rank";
    tiles.at(100, 196) = 0;
    EXPECT_GT(own.deviation(tiles), 1);
    EXPECT_EQ(made(problem, {{0, 0}, {0, 5}}, tiles).deviation(tiles), 0) << "none";
}

}  // namespace
}  // namespace quartet::matmul

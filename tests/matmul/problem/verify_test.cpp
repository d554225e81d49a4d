#include "matmul/problem/verify.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

/// A number whose bits after so many of its mantissa are cut off.
float cut(float value, unsigned bits) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~((1U << (24 - bits)) - 1));
}

/// The nearest number of so many bits.
float rounded(float value, unsigned bits) {
    return cut(std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) + (1U << (23 - bits))),
               bits);
}

float unchanged(float value) {
    return value;
}

using Change = std::function<float(float)>;

/// Tiles of A and B, and of C as a float32 loop computes them from changed A and B, one product
/// after the other: over k upwards or downwards.
class FakeProduct final : public Product {
  public:
    enum class Order { up, down };

    FakeProduct(const Problem& problem, Matrix a, Matrix b, const Change& change = unchanged,
                Order order = Order::up)
        : problem_(problem), a_(std::move(a)), b_(std::move(b)), c_(a_.size()) {
        const auto n = static_cast<std::size_t>(problem.size);
        Matrix changed(n * n);
        std::ranges::transform(b_, changed.begin(), change);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t step = 0; step < n; ++step) {
                const std::size_t k = order == Order::up ? step : n - 1 - step;
                const float left = change(a_[i * n + k]);
                for (std::size_t j = 0; j < n; ++j) {
                    c_[i * n + j] += left * changed[k * n + j];
                }
            }
        }
    }
    /// Of A and B as they are made, times a scale each.
    explicit FakeProduct(const Problem& problem, float scale = 1, float scale_b = 1,
                         const Change& change = unchanged)
        : FakeProduct(problem, whole_matrix(problem, "A", scale),
                      whole_matrix(problem, "B", scale_b), change) {}

    void run(device::Stream&) override {}
    [[nodiscard]] std::string note() const override { return {}; }
    std::span<const float> input(Operand operand, TileIndex tile) override {
        ++reads[{operand == Operand::a ? 0 : 1, tile.row, tile.column}];
        return last_ = tile_of(problem_, operand == Operand::a ? a_ : b_, tile);
    }
    std::span<const float> result(TileIndex tile) override {
        ++reads[{2, tile.row, tile.column}];
        return last_ = tile_of(problem_, c_, tile);
    }
    float& at(std::int64_t row, std::int64_t column) {
        return c_[static_cast<std::size_t>(row * problem_.size + column)];
    }
    float a(std::int64_t row, std::int64_t column) const {
        return a_[static_cast<std::size_t>(row * problem_.size + column)];
    }
    float b(std::int64_t row, std::int64_t column) const {
        return b_[static_cast<std::size_t>(row * problem_.size + column)];
    }

    std::map<std::tuple<int, std::int64_t, std::int64_t>, int> reads;

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
    bench::Arena arena{*device};
    const Problem problem{200, 48};  // five tiles, the last of 8
    const Block all{{0, 5}, {0, 5}};
    FakeProduct tiles{problem};
    const Freivalds check{arena, problem, all, 1, tiles};
};

// The standard deviation of a row is 0.15 of its bound where sums are made one after the other, as
// here. The largest of 16384 normal values is about 4.1 standard deviations, hardly ever 5.5.
TEST_F(FreivaldsTest, HasABoundThatSoundProductsInTheWorstOrderComeNear) {
    const Problem large{1024, 64};
    FakeProduct sound(large);
    const double deviation = Freivalds(arena, large, {{0, 16}, {0, 16}}, 1, sound).deviation(sound);
    EXPECT_GT(deviation, 0.3) << "or the bound hides errors";
    EXPECT_LT(deviation, 0.83) << "or sound products will be called wrong";
}

TEST_F(FreivaldsTest, PassesSmallProducts) {
    for (const std::int64_t size : {1, 2, 3, 5, 8, 13}) {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            const Problem small{size, 4, seed};
            const std::int64_t edge = small.tiles();
            FakeProduct sound(small);
            const Freivalds own(arena, small, {{0, edge}, {0, edge}}, 1, sound);
            EXPECT_LT(own.deviation(sound), 0.7) << size << ", seed " << seed;
        }
    }
}

// Numbers that are cut off, all of them to one side, are the worst of TF32.
TEST_F(FreivaldsTest, AllowsForTheBitsThatTf32CutsOff) {
    FakeProduct fewer_bits(problem, 1, 1, [](float value) { return cut(value, 11); });
    const Freivalds exact(arena, problem, all, 1, fewer_bits);
    const Freivalds tolerant(arena, problem, all, 1, fewer_bits, {}, {.math = device::Math::tf32});
    EXPECT_GT(exact.deviation(fewer_bits), 10);
    EXPECT_GT(tolerant.deviation(fewer_bits), 0.001);
    EXPECT_LT(tolerant.deviation(fewer_bits), 0.5);
    fewer_bits.at(100, 17) += static_cast<float>(2.5 * tolerant.bound(100, 0));
    EXPECT_GT(tolerant.deviation(fewer_bits), 1);
}

TEST_F(FreivaldsTest, ReadsEachTileOnce) {
    EXPECT_EQ(tiles.reads.size(), 50U) << "of A and B";
    EXPECT_LT(check.deviation(tiles), 1);
    EXPECT_EQ(tiles.reads.size(), 75U);
    for (const auto& [tile, count] : tiles.reads) {
        EXPECT_EQ(count, 1);
    }
}

TEST_F(FreivaldsTest, FindsOneElementThatIsWrongByTwiceTheBound) {
    for (const auto& [row, column] :
         {std::pair(0, 0), std::pair(199, 199), std::pair(100, 17), std::pair(60, 150)}) {
        const auto wrong = static_cast<float>(2.5 * check.bound(row, column / 48));
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

TEST_F(FreivaldsTest, FindsSwappedRows) {
    for (std::int64_t column = 0; column < 200; ++column) {
        std::swap(tiles.at(10, column), tiles.at(11, column));
    }
    EXPECT_GT(check.deviation(tiles), 10);
}

TEST_F(FreivaldsTest, FindsATileThatLacksOneInnerTile) {
    // The smallest one: 8 of 200 products.
    for (std::int64_t row = 0; row < 48; ++row) {
        for (std::int64_t column = 0; column < 48; ++column) {
            for (std::int64_t inner = 192; inner < 200; ++inner) {
                tiles.at(row, column) -= tiles.a(row, inner) * tiles.b(inner, column);
            }
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

TEST_F(FreivaldsTest, HasTheSameBitsWithAnyThreads) {
    const Freivalds with_threads(arena, problem, all, 3, tiles);
    EXPECT_EQ(with_threads.deviation(tiles), check.deviation(tiles));
}

TEST_F(FreivaldsTest, ChecksARanksOwnBlock) {
    const Block block{{1, 3}, {4, 5}};
    const Freivalds own(arena, problem, block, 1, tiles);
    EXPECT_LT(own.deviation(tiles), 0.8);
    EXPECT_DOUBLE_EQ(own.bound(0, 4), check.bound(48, 4));
    tiles.at(0, 0) = 0;
    EXPECT_LT(own.deviation(tiles), 0.8) << "of another rank";
    tiles.at(100, 196) = 0;
    EXPECT_GT(own.deviation(tiles), 1);
    EXPECT_EQ(Freivalds(arena, problem, {{0, 0}, {0, 5}}, 1, tiles).deviation(tiles), 0) << "none";
}

TEST_F(FreivaldsTest, PassesHugeTinyAndSubnormalProducts) {
    for (const auto& [scale_a, scale_b] :
         {std::pair(1e18F, 1e18F), std::pair(1e30F, 1e-30F), std::pair(1e-20F, 1e-20F),
          std::pair(1e-30F, 1e-30F), std::pair(1e-40F, 1e-3F)}) {
        FakeProduct scaled(problem, scale_a, scale_b);
        const Freivalds own(arena, problem, all, 1, scaled);
        EXPECT_LT(own.deviation(scaled), 1) << scale_a << ", " << scale_b;
    }
}

TEST_F(FreivaldsTest, PassesZeros) {
    FakeProduct zeros(problem, 0, 0);
    EXPECT_EQ(Freivalds(arena, problem, all, 1, zeros).deviation(zeros), 0);
}

/// A user's own matrices.
class OwnFreivaldsTest : public FreivaldsTest {
  protected:
    using Order = FakeProduct::Order;
    struct Matrices {
        Matrix a;
        Matrix b;
    };

    static constexpr std::size_t n = 200;

    [[nodiscard]] Matrices uniform() const {
        return {whole_matrix(problem, "A"), whole_matrix(problem, "B")};
    }
    /// One column of each tile of B, one row in each tile of A, and a column of A that meets zeros.
    [[nodiscard]] std::vector<Matrices> uneven() const {
        std::vector<Matrices> matrices(3, uniform());
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t first = 0; first < n; first += 48) {
                matrices[0].b[i * n + first] *= 1e8F;
                matrices[1].a[first * n + i] *= 1e8F;
            }
            matrices[2].a[i * n + 9] = 2e7F;
            matrices[2].b[9 * n + i] = 0;
        }
        return matrices;
    }
    double deviation(const Problem& of, FakeProduct& product) {
        const Freivalds own(arena, of, whole(of), 1, product, {}, {.numbers = Numbers::own});
        return own.deviation(product);
    }
    double deviation(FakeProduct& product) { return deviation(problem, product); }
};

TEST_F(OwnFreivaldsTest, FindsALastColumnThatIsNotComputedBesideLargeNumbers) {
    for (const auto& [a, b] : uneven()) {
        FakeProduct product(problem, a, b);
        EXPECT_LT(deviation(product), 0.5);
        for (std::int64_t row = 0; row < problem.size; ++row) {
            product.at(row, 143) = 0;
        }
        EXPECT_GT(deviation(product), 100);
    }
}

TEST_F(OwnFreivaldsTest, FindsOneWrongElementBesideLargeNumbers) {
    for (const auto& [a, b] : uneven()) {
        FakeProduct product(problem, a, b);
        for (const auto& [row, column] :
             {std::pair(0, 0), std::pair(199, 199), std::pair(100, 17), std::pair(48, 150)}) {
            for (const float by : {2.0F, 1.001F}) {
                const float sound = product.at(row, column);
                product.at(row, column) *= by;
                EXPECT_GT(deviation(product), 1) << row << ", " << column << ", " << by;
                product.at(row, column) = sound;
            }
        }
    }
}

TEST_F(OwnFreivaldsTest, FindsNumbersOfBfloat16BesideLargeNumbers) {
    for (const auto& [a, b] : uneven()) {
        FakeProduct product(problem, a, b, [](float value) { return rounded(value, 8); });
        EXPECT_GT(deviation(product), 10);
    }
}

TEST_F(OwnFreivaldsTest, FindsWhatStandsInAColumnOfZeros) {
    Matrices zeros = uniform();
    for (std::size_t i = 0; i < n; ++i) {
        zeros.b[i * n + 60] = 0;
    }
    FakeProduct product(problem, zeros.a, zeros.b);
    EXPECT_LT(deviation(product), 0.5);
    product.at(30, 60) = 1e-20F;
    EXPECT_GT(deviation(product), 1);
    FakeProduct nothing(problem, Matrix(n * n), Matrix(n * n));
    EXPECT_EQ(deviation(nothing), 0);
}

TEST_F(OwnFreivaldsTest, HasTheSameBitsWithAnyThreads) {
    const Matrices one = uneven().front();
    FakeProduct product(problem, one.a, one.b);
    const Freivalds with_threads(arena, problem, all, 3, product, {}, {.numbers = Numbers::own});
    EXPECT_EQ(with_threads.deviation(product), deviation(product));
}

/// One of them, all exponents alike.
float power_of_ten(std::mt19937_64& random, double least, double most) {
    return static_cast<float>(
        std::pow(10, std::uniform_real_distribution<double>(least, most)(random)));
}

/// Random matrices that are scaled in one of these ways.
struct Scaled {
    enum Way { columns_of_b, rows_of_a, inner, balanced, outlier, falling, equal };

    Scaled(std::size_t n, Way way, bool with_signs, std::mt19937_64& random) : a(n * n), b(n * n) {
        std::uniform_real_distribution<float> entry(with_signs ? -1.0F : 0.0F, 1.0F);
        for (std::size_t i = 0; i < n * n; ++i) {
            a[i] = way == equal && i > 0 ? a[0] : entry(random);
            b[i] = way == equal && i > 0 ? b[0] : entry(random);
        }
        const std::size_t chosen = random() % n;
        for (std::size_t i = 0; i < n; ++i) {
            const float wide = power_of_ten(random, -8, 8);
            const float narrow = power_of_ten(random, -4, 4);
            const float large = power_of_ten(random, 1, 9);
            const auto place = static_cast<float>(i + 1);
            for (std::size_t j = 0; j < n; ++j) {
                a[i * n + j] *= way == rows_of_a ? wide : 1;
                b[j * n + i] *= way == columns_of_b ? wide : 1;
                a[j * n + i] *= way == inner || way == balanced ? narrow
                                : way == falling                ? 1 / (place * place)
                                : way == outlier && i == chosen ? large
                                                                : 1;
                b[i * n + j] *= way == balanced ? 1 / narrow : 1;
            }
        }
    }

    Matrix a;
    Matrix b;
};

TEST_F(OwnFreivaldsTest, PassesThousandsOfSoundProductsOfWidelyScaledNumbers) {
    std::mt19937_64 random(1);
    double largest = 0;
    for (const std::int64_t size : {1, 2, 3, 5, 8, 13, 32, 80}) {
        for (const auto way : {Scaled::columns_of_b, Scaled::rows_of_a, Scaled::inner,
                               Scaled::balanced, Scaled::outlier, Scaled::falling, Scaled::equal}) {
            for (int repetition = 0; repetition < 40; ++repetition) {
                const Problem small{size, 16, random()};
                const Scaled scaled(static_cast<std::size_t>(size), way, repetition % 2 == 1,
                                    random);
                for (const Order order : {Order::up, Order::down}) {
                    FakeProduct product(small, scaled.a, scaled.b, unchanged, order);
                    const double found = deviation(small, product);
                    EXPECT_LT(found, 0.9) << size << ", way " << way << ", " << repetition;
                    largest = std::max(largest, found);
                }
            }
        }
    }
    EXPECT_GT(largest, 0.2) << "or the bound hides errors";
    RecordProperty("largest", std::to_string(largest));
}

}  // namespace
}  // namespace quartet::matmul

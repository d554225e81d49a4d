#include "core/data_source.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/check.hpp"

namespace quartet {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words philox(const Words& counter, std::uint32_t key_0, std::uint32_t key_1) {
    const auto words =
        r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key_0, key_1}});
    return {words.v[0], words.v[1], words.v[2], words.v[3]};
}

std::uint32_t bits_at(const DataSource& source, std::int64_t index) {
    std::uint32_t bits = 0;
    source.fill_bits(std::span(&bits, 1), index);
    return bits;
}

float float_at(const DataSource& source, std::int64_t index) {
    float value = 0;
    source.fill_uniform(std::span(&value, 1), index);
    return value;
}

TEST(DataSource, IsPhiloxOfSeedHashAndBlock) {
    // 64-bit FNV-1a of "foobar", from its specification's test vectors: 85944171f73967e8.
    const DataSource source(0x0123456789abcdef, "foobar");
    const std::int64_t block = (std::int64_t{5} << 32) + 17;

    const Words words = philox({17, 5, 0xf73967e8, 0x85944171}, 0x89abcdef, 0x01234567);

    for (std::size_t word = 0; word < 4; ++word) {
        const auto index = 4 * block + static_cast<std::int64_t>(word);
        EXPECT_EQ(bits_at(source, index), words[word]);
        EXPECT_EQ(float_at(source, index), static_cast<float>(words[word] >> 8) / 0x1p24F);
    }
    for (std::size_t half = 0; half < 2; ++half) {
        const std::uint64_t bits = words[2 * half] | std::uint64_t{words[2 * half + 1]} << 32;
        EXPECT_EQ(source.uniform_double(2 * block + static_cast<std::int64_t>(half)),
                  static_cast<double>(bits >> 11) / 0x1p53);
    }
}

// Element by element against any split of the range: every offset in a block, every ragged end.
template <typename T, typename Fill, typename Element>
void expect_fill_equals_elements(const Fill& fill, const Element& element) {
    for (const std::int64_t origin : {std::int64_t{0}, (std::int64_t{1} << 40) - 6}) {
        for (std::int64_t first = origin; first < origin + 9; ++first) {
            for (std::size_t count = 0; count < 40; ++count) {
                std::vector<T> out(count + 1, T{99});
                fill(std::span(out).first(count), first);
                for (std::size_t k = 0; k < count; ++k) {
                    ASSERT_EQ(out[k], element(first + static_cast<std::int64_t>(k)))
                        << "first " << first << ", count " << count << ", element " << k;
                }
                ASSERT_EQ(out[count], T{99}) << "written past the end";
            }
        }
    }
}

TEST(DataSource, FillsAnyRangeOfBitsAsElementByElement) {
    const DataSource source(1, "A");
    expect_fill_equals_elements<std::uint32_t>(
        [&](auto out, std::int64_t first) { source.fill_bits(out, first); },
        [&](std::int64_t index) { return bits_at(source, index); });
}

TEST(DataSource, FillsAnyRangeOfFloatsAsElementByElement) {
    const DataSource source(2, "B");
    expect_fill_equals_elements<float>(
        [&](auto out, std::int64_t first) { source.fill_uniform(out, first); },
        [&](std::int64_t index) { return float_at(source, index); });
}

TEST(DataSource, FillsAnyRangeOfDoublesAsElementByElement) {
    const DataSource source(3, "C");
    expect_fill_equals_elements<double>(
        [&](auto out, std::int64_t first) { source.fill_uniform(out, first); },
        [&](std::int64_t index) { return source.uniform_double(index); });
}

TEST(DataSource, FillsPairsAtAnyDistanceLessAHalf) {
    const DataSource source(7, "pairs");
    for (const std::int64_t step : {0, 1, 3, 4096}) {
        for (const std::int64_t first : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 40}) {
            std::array<std::complex<double>, 9> out;
            source.fill_centred(out, first, step);
            for (std::int64_t k = 0; k < std::ssize(out); ++k) {
                const std::int64_t element = 2 * (first + k * step);
                EXPECT_EQ(out[static_cast<std::size_t>(k)],
                          (std::complex{source.uniform_double(element) - 0.5,
                                        source.uniform_double(element + 1) - 0.5}));
            }
        }
    }
}

// Files on disk were made with these: a change of the mapping needs a new generator_version.
TEST(DataSource, KeepsTheMappingOfItsGeneratorVersion) {
    ASSERT_EQ(DataSource::generator_version, 1);
    const DataSource source(42, "A");
    EXPECT_EQ(bits_at(source, 0), 0xce3f6eb6U);
    EXPECT_EQ(bits_at(source, 12345), 0x8777ba6bU);
    EXPECT_EQ(source.uniform_double(12345), 0x1.0f7e2573dff1bp-1);
}

TEST(DataSource, RefusesANegativeIndex) {
    const DataSource source(1, "A");
    std::array<float, 4> out{};
    EXPECT_THROW(bits_at(source, -1), Failure);
    EXPECT_THROW(static_cast<void>(source.uniform_double(-1)), Failure);
    EXPECT_THROW(source.fill_uniform(std::span(out), -1), Failure);
    EXPECT_THROW(source.fill_centred({}, -1, 1), Failure);
}

}  // namespace
}  // namespace quartet

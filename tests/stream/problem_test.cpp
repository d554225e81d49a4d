#include "stream/plan.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "core/message_of.hpp"

namespace quartet::stream {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ParseSizes, CountsMebibytesUnlessAUnitIsGivenInWholeFloats) {
    EXPECT_THAT(parse_sizes("1,512KiB,4B,1.5"),
                ElementsAre(mebibytes(1), kibibytes(512), Bytes{4}, kibibytes(1536)));
    EXPECT_THAT(parse_sizes("3:11"), ElementsAre(mebibytes(3), mebibytes(6)));
    EXPECT_EQ(parse_sizes("4B:1TiB").size(), 39U);
    for (const char* text : {"", "0", "3B", "6B", "0.3B", "2TiB", "4:2TiB", "two"}) {
        EXPECT_THAT(message_of<UsageError>([&] { parse_sizes(text); }), Not(HasSubstr("\n")))
            << text;
    }
}

Options of_sizes(const char* sizes, int pushes, bench::Switch pairs = bench::Switch::off) {
    return {parse_sizes(sizes), pushes, pairs};
}

TEST(Problems, AreOneForEachSizeFromAllToRank0) {
    const auto found = problems(of_sizes("2:8", 100), 4);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[2].size, mebibytes(8));
    EXPECT_THAT(found[2].senders, ElementsAre(1, 2, 3));
    EXPECT_TRUE(found[2].receives(0) && !found[2].sends(0) && found[2].sends(3));
    EXPECT_EQ(found[2].work().bytes, 3 * mebibytes(800));
    EXPECT_EQ(found[2].work().workers, 3);
}

TEST(Problems, OfPairsAreEachOrderedPairOfUpTo16Ranks) {
    std::set<std::pair<int, int>> pairs;
    for (const Problem& one : problems(of_sizes("1", 10, bench::Switch::on), 16)) {
        ASSERT_EQ(one.senders.size(), 1U);
        EXPECT_NE(one.senders.front(), one.receiver);
        pairs.emplace(one.senders.front(), one.receiver);
    }
    EXPECT_EQ(pairs.size(), 16U * 15U);
    EXPECT_THAT(message_of<UsageError>([&] { problems(of_sizes("1", 10, bench::Switch::on), 17); }),
                AllOf(HasSubstr("--pairs: 17 ranks"), HasSubstr("quartet nodes")));
}

TEST(Problems, AreRefusedWhereSumsWouldNotBeExact) {
    const int most = (1 << 24) / 8 / 3;
    EXPECT_NO_THROW(problems(of_sizes("4B", most), 4));
    EXPECT_THAT(message_of<UsageError>([&] { problems(of_sizes("4B", most + 1), 4); }),
                AllOf(HasSubstr("--pushes"), HasSubstr("3 senders"),
                      HasSubstr("at most " + std::to_string(most)), Not(HasSubstr("\n"))));
}

TEST(Source, DependsOnSeedSenderAndIndexOnly) {
    std::vector<float> source(9001);
    fill_source(source, 7, 1);

    for (const auto& [seed, sender] : {std::pair(8, 1), std::pair(7, 2)}) {
        std::vector<float> other(source.size());
        fill_source(other, static_cast<std::uint64_t>(seed), sender);
        const auto equal = std::inner_product(source.begin(), source.end(), other.begin(), 0,
                                              std::plus<>(), std::equal_to<>());
        EXPECT_LT(equal, 9001 / 4) << "about one in eight by chance";
    }
}

TEST(Source, CanBeFilledPartByPart) {
    std::vector<float> whole(9001);
    fill_source(whole, 7, 1);

    std::vector<float> parts(whole.size());
    for (const auto& [first, count] : {std::pair{0, 5000}, {5000, 1}, {5001, 4000}}) {
        fill_source(std::span(parts).subspan(static_cast<std::size_t>(first),
                                             static_cast<std::size_t>(count)),
                    7, 1, first);
    }

    EXPECT_EQ(parts, whole);
}

TEST(Expected, IsWhatThePushesAddUpTo) {
    constexpr int pushes = 37;
    const Problem problem{.size = {}, .pushes = pushes, .senders = {1, 3, 4}};
    std::vector<float> sum(5001);
    for (int push = 0; push < pushes; ++push) {
        for (const int sender : problem.senders) {
            std::vector<float> source(sum.size());
            fill_source(source, 11, sender);
            std::ranges::transform(sum, source, sum.begin(), std::plus<>());
        }
    }
    std::vector<float> expected(sum.size(), 99.0F);  // what was there does not count
    fill_expected(expected, 11, problem);
    EXPECT_EQ(expected, sum);
}

TEST(Expected, IsExactUpToTheMostPushes) {
    // Beyond 2^24 float32 has even numbers only: the last push of an odd value would be lost.
    const int most = (1 << 24) / 8;
    std::vector<float> expected(1000);
    std::vector<float> source(1000);
    fill_expected(expected, 1, {.size = {}, .pushes = most, .senders = {1}});
    fill_source(source, 1, 1);
    for (std::size_t index = 0; index < source.size(); ++index) {
        EXPECT_EQ(static_cast<double>(expected[index]),
                  static_cast<double>(most) * static_cast<double>(source[index]));
    }
}

}  // namespace
}  // namespace quartet::stream

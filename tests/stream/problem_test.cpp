#include "stream/problem.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/message_of.hpp"

namespace quartet::stream {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Pair = std::pair<int, int>;

Options options_of(const char* sizes, int pushes, bench::Switch pairs = bench::Switch::off) {
    return {parse_sizes(sizes), pushes, pairs};
}

class PairRounds : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Ranks, PairRounds, testing::Range(2, 21));

TEST_P(PairRounds, HaveEveryOrderedPairOnce) {
    const int ranks = GetParam();
    std::map<Pair, int> found;
    for (const auto& round : pair_rounds(ranks)) {
        for (const Route& route : round) {
            ASSERT_EQ(route.senders.size(), 1U);
            ++found[{route.senders.front(), route.receiver}];
        }
    }
    std::map<Pair, int> expected;
    for (int sender = 0; sender < ranks; ++sender) {
        for (int receiver = 0; receiver < ranks; ++receiver) {
            if (sender != receiver) {
                expected[{sender, receiver}] = 1;
            }
        }
    }
    EXPECT_EQ(found, expected);
}

TEST_P(PairRounds, ShareNoRankWithinARound) {
    for (const auto& round : pair_rounds(GetParam())) {
        std::set<int> ranks;
        for (const Route& route : round) {
            EXPECT_TRUE(ranks.insert(route.senders.front()).second);
            EXPECT_TRUE(ranks.insert(route.receiver).second);
        }
    }
}

TEST_P(PairRounds, AreOnePairEachUpTo16RanksThenAsManyAsThereAre) {
    const int ranks = GetParam();
    for (const auto& round : pair_rounds(ranks)) {
        EXPECT_EQ(std::ssize(round), ranks <= 16 ? 1 : ranks / 2);
    }
}

std::vector<Pair> pairs_of(const std::vector<std::vector<Route>>& rounds) {
    std::vector<Pair> pairs;
    for (const auto& round : rounds) {
        for (const Route& route : round) {
            pairs.emplace_back(route.senders.front(), route.receiver);
        }
    }
    return pairs;
}

// So that routes and the document stay small.
TEST(PairRounds, AreASampleInBothDirectionsAbove32Ranks) {
    EXPECT_EQ(pairs_of(pair_rounds(32)).size(), 32U * 31U);
    for (const int ranks : {33, 48, 992, 993, 16384}) {
        const auto rounds = pair_rounds(ranks, 7);
        const auto pairs = pairs_of(rounds);
        const std::set<Pair> different(pairs.begin(), pairs.end());
        EXPECT_EQ(pairs.size(), 992U) << ranks;
        EXPECT_EQ(different.size(), 992U) << ranks;
        for (const auto& [sender, receiver] : different) {
            EXPECT_TRUE(different.contains({receiver, sender})) << ranks;
            EXPECT_TRUE(sender != receiver && std::min(sender, receiver) >= 0 &&
                        std::max(sender, receiver) < ranks);
        }
        for (const auto& round : rounds) {
            std::set<int> busy;
            for (const Route& route : round) {
                EXPECT_TRUE(busy.insert(route.senders.front()).second);
                EXPECT_TRUE(busy.insert(route.receiver).second);
            }
        }
    }
}

TEST(PairRounds, AreDrawnByTheSeed) {
    EXPECT_EQ(pairs_of(pair_rounds(512, 1)), pairs_of(pair_rounds(512, 1)));
    EXPECT_NE(pairs_of(pair_rounds(512, 1)), pairs_of(pair_rounds(512, 2)));
    std::set<int> far;  // neighbours alone would say nothing of the network
    for (const auto& [sender, receiver] : pairs_of(pair_rounds(16384, 1))) {
        far.insert(std::abs(sender - receiver) / 128);
    }
    EXPECT_GT(far.size(), 64U);
}

TEST(Problems, AreOneForEachSizeFromAllToRank0) {
    const auto found = problems(options_of("2:8", 100), 4);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[2].size, mebibytes(8));
    EXPECT_EQ(found[2].pushes, 100);
    EXPECT_EQ(found[2].pattern, Pattern::all_to_one);
    ASSERT_EQ(found[2].routes.size(), 1U);
    EXPECT_THAT(found[2].routes[0].senders, ElementsAre(1, 2, 3));
    EXPECT_EQ(found[2].routes[0].receiver, 0);
}

TEST(Problems, OfPairsAreOneForEachSizeAndRound) {
    EXPECT_EQ(problems(options_of("1,2", 10, bench::Switch::on), 3).size(), 2U * 6U);
    EXPECT_EQ(problems(options_of("1", 10, bench::Switch::on), 18).size(), 2U * 17U);
}

TEST(Problems, AreRefusedWhereSumsWouldNotBeExact) {
    const int most = (1 << 24) / 8 / 3;
    EXPECT_NO_THROW(problems(options_of("4B", most), 4));
    EXPECT_THAT(message_of<UsageError>([&] { problems(options_of("4B", most + 1), 4); }),
                AllOf(HasSubstr("--pushes"), HasSubstr("3 senders"),
                      HasSubstr("at most " + std::to_string(most)), testing::Not(HasSubstr("\n"))));
}

TEST(Problem, KnowsTheRouteOfEachRank) {
    const Problem problem{mebibytes(1), 1, Pattern::pairs, {{{4}, 1}, {{0, 2}, 3}}};
    EXPECT_EQ(problem.route_of(4), &problem.routes[0]);
    EXPECT_EQ(problem.route_of(1), &problem.routes[0]);
    EXPECT_EQ(problem.route_of(2), &problem.routes[1]);
    EXPECT_EQ(problem.route_of(3), &problem.routes[1]);
    EXPECT_EQ(problem.route_of(5), nullptr);
}

TEST(Problem, CountsTheBytesOfEverySender) {
    const Problem problem{mebibytes(2), 100, Pattern::pairs, {{{4}, 1}, {{0, 2}, 3}}};
    EXPECT_EQ(problem.elements(), 524288);

    const bench::Work one = problem.work(problem.routes[0]);
    EXPECT_EQ(one.bytes, mebibytes(200));
    EXPECT_EQ(one.flops.value, 52428800);
    EXPECT_EQ(one.workers, 1);
    EXPECT_EQ(one.unit, bench::RateUnit::mebibytes);

    const bench::Work all = problem.work();
    EXPECT_EQ(all.bytes, mebibytes(600));
    EXPECT_EQ(all.flops.value, 3 * 52428800.0);
    EXPECT_EQ(all.workers, 3);
}

TEST(Source, HoldsWholeNumbersFromOneToEight) {
    std::vector<float> source(10000);
    fill_source(source, 7, 1);
    EXPECT_EQ(std::set<float>(source.begin(), source.end()),
              (std::set<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Source, DependsOnSeedSenderAndIndexOnly) {
    std::vector<float> source(9001);
    fill_source(source, 7, 1);

    std::vector<float> shorter(5000);  // begins alike, though it ends within a block
    fill_source(shorter, 7, 1);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), source.begin()));

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

TEST(Source, ShowsAMisplacedElement) {
    std::vector<float> source(10000);
    fill_source(source, 7, 1);
    for (const std::ptrdiff_t distance : {1, 2, 16, 1024, 4096}) {
        const auto equal = std::inner_product(source.begin() + distance, source.end(),
                                              source.begin(), 0, std::plus<>(), std::equal_to<>());
        EXPECT_LT(equal, 10000 / 4) << distance;
    }
}

TEST(Expected, IsWhatThePushesAddUpTo) {
    constexpr int pushes = 37;
    const Route route{{1, 3, 4}, 0};
    std::vector<float> sum(5001);
    for (int push = 0; push < pushes; ++push) {
        for (const int sender : route.senders) {
            std::vector<float> source(sum.size());
            fill_source(source, 11, sender);
            std::ranges::transform(sum, source, sum.begin(), std::plus<>());
        }
    }
    std::vector<float> expected(sum.size(), 99.0F);  // what was there does not count
    fill_expected(expected, 11, route, pushes);
    EXPECT_EQ(expected, sum);
}

TEST(Expected, IsExactUpToTheMostPushes) {
    // Beyond 2^24 float32 has even numbers only: the last push of an odd value would be lost.
    const int most = (1 << 24) / 8;
    std::vector<float> expected(1000);
    std::vector<float> source(1000);
    fill_expected(expected, 1, {{1}, 0}, most);
    fill_source(source, 1, 1);
    for (std::size_t index = 0; index < source.size(); ++index) {
        EXPECT_EQ(static_cast<double>(expected[index]),
                  static_cast<double>(most) * static_cast<double>(source[index]));
    }
}

}  // namespace
}  // namespace quartet::stream

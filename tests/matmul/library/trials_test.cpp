#include "matmul/library/trials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace quartet::matmul {

namespace {

using testing::ElementsAre;

// What each attempt at each candidate takes, one after the other; the last one for ever.
class Attempts {
  public:
    explicit Attempts(std::map<std::size_t, std::vector<Attempt>> planned)
        : planned_(std::move(planned)) {}

    Attempt operator()(std::size_t candidate) {
        const std::vector<Attempt>& mine = planned_.at(candidate);
        return mine.at(std::min(counts_[candidate]++, mine.size() - 1));
    }
    [[nodiscard]] std::size_t count(std::size_t candidate) const { return counts_.at(candidate); }

  private:
    std::map<std::size_t, std::vector<Attempt>> planned_;
    std::map<std::size_t, std::size_t> counts_;
};

std::vector<std::size_t> sorted(Attempts& attempts, std::size_t count, double patience = 15) {
    std::vector<std::size_t> order;
    for (const Ranked& one : fastest_first(count, Seconds{patience}, std::ref(attempts))) {
        order.push_back(one.candidate);
    }
    return order;
}

}  // namespace

TEST(FastestFirst, OfUndisturbedTrialsOneEachDecides) {
    Attempts attempts({{0, {{Seconds{3}}}}, {1, {{Seconds{1}}}}, {2, {{Seconds{2}}}}});
    EXPECT_THAT(sorted(attempts, 3), ElementsAre(1, 2, 0));
    EXPECT_EQ(attempts.count(0), 1U);
    EXPECT_EQ(attempts.count(1), 1U);
}

TEST(FastestFirst, WhatWasDisturbedIsTriedAgain) {
    Attempts attempts({{0, {{Seconds{4}, true}, {Seconds{1}}}}, {1, {{Seconds{2}}}}});
    EXPECT_THAT(sorted(attempts, 2), ElementsAre(0, 1));
    EXPECT_EQ(attempts.count(0), 2U);
    EXPECT_EQ(attempts.count(1), 1U);
}

TEST(FastestFirst, AnUndisturbedTimeCountsBeforeADisturbedOneOfTheSame) {
    // Another clock rate, say: a disturbed time that is shorter is no better known.
    Attempts attempts({{0, {{Seconds{1}, true}, {Seconds{3}}}}, {1, {{Seconds{2}}}}});
    EXPECT_THAT(sorted(attempts, 2), ElementsAre(1, 0));
}

TEST(FastestFirst, OfDisturbedTimesTheShortestCountsWherePatienceEnds) {
    Attempts attempts({{0, {{Seconds{4}, true}, {Seconds{2}, true}, {Seconds{5}, true}}},
                       {1, {{Seconds{3}, true}}}});
    EXPECT_THAT(sorted(attempts, 2, 20), ElementsAre(0, 1));
    EXPECT_LE(attempts.count(0) + attempts.count(1), 7U);
}

TEST(FastestFirst, EachIsTriedOnceWhateverItTakes) {
    Attempts attempts({{0, {{Seconds{30}, true}}}, {1, {{Seconds{40}, true}}}});
    EXPECT_THAT(sorted(attempts, 2), ElementsAre(0, 1));
    EXPECT_EQ(attempts.count(1), 1U);
}

}  // namespace quartet::matmul

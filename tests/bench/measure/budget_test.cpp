#include "bench/measure/budget.hpp"

#include <gmock/gmock.h>

namespace quartet::bench {
namespace {

TEST(BudgetTest, WithoutOneAllHasRoom) {
    Budget budget(std::nullopt, {100}, 3);
    budget.begin_group(3, {100});
    EXPECT_TRUE(budget.has_room({1e9}, {1e9}));
}

TEST(BudgetTest, AGroupGetsItsShareOfWhatIsLeft) {
    Budget budget({{40}}, {100}, 4);
    budget.begin_group(1, {100});
    EXPECT_TRUE(budget.has_room({10}, {100}));
    EXPECT_FALSE(budget.has_room({11}, {100}));
    budget.begin_group(2, {104});  // two of three cases have 36 s
    EXPECT_TRUE(budget.has_room({10}, {118}));
    EXPECT_FALSE(budget.has_room({11}, {118}));
    budget.begin_group(1, {135});
    EXPECT_TRUE(budget.has_room({5}, {135}));
    EXPECT_FALSE(budget.has_room({6}, {135}));
}

TEST(BudgetTest, WhatIsMeasuredAnewMayTakeAllThatIsLeft) {
    Budget budget({{40}}, {0}, 2);
    budget.begin_group(2, {0});
    budget.begin_group(1, {30});
    EXPECT_TRUE(budget.has_room({10}, {30}));
    EXPECT_FALSE(budget.has_room({11}, {30}));
}

TEST(BudgetTest, AfterItsEndNothingHasRoom) {
    Budget budget({{40}}, {0}, 2);
    budget.begin_group(1, {0});
    budget.begin_group(1, {50});
    EXPECT_FALSE(budget.has_room({0}, {50}));
}

}  // namespace
}  // namespace quartet::bench

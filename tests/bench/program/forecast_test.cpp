#include "bench/program/forecast.hpp"

#include <gtest/gtest.h>

namespace quartet::bench {
namespace {

constexpr Forecast::Expected three_runs{.first_run = {4}, .later_run = {2}, .runs = 3};

double left(const Forecast& forecast, double elapsed) {
    return forecast.left({elapsed}).value;
}

TEST(ForecastTest, AtFirstAllRunsTakeWhatIsExpected) {
    EXPECT_EQ(left(Forecast({}, std::nullopt), 0), 0);
    EXPECT_EQ(left(Forecast({three_runs}, std::nullopt), 0), 8);
    EXPECT_EQ(left(Forecast({three_runs, three_runs}, std::nullopt), 0), 16);
}

TEST(ForecastTest, TheTimeGoesOnWithinARun) {
    Forecast forecast({three_runs}, std::nullopt);
    forecast.begin_run(0, {1});
    EXPECT_EQ(left(forecast, 1), 8);
    EXPECT_EQ(left(forecast, 4), 5);
    EXPECT_EQ(left(forecast, 10), -1) << "it takes longer than expected";
}

TEST(ForecastTest, LaterRunsTakeAsMuchLongerAsThoseBefore) {
    Forecast forecast({three_runs, three_runs}, std::nullopt);
    forecast.begin_run(0, {0});
    forecast.begin_run(1, {8});  // instead of 4
    EXPECT_EQ(left(forecast, 8), 2 * (4 + 2 * 2 + 2 * 2));
    forecast.begin_run(0, {16});
    forecast.begin_run(1, {20});
    forecast.begin_run(0, {24});
    EXPECT_EQ(left(forecast, 24), 2 * (2 + 2));
    forecast.begin_run(1, {28});
    EXPECT_EQ(left(forecast, 28), 2 * 2);
}

TEST(ForecastTest, ARunMoreThanPlannedTakesItsTime) {
    Forecast forecast({{.first_run = {2}, .later_run = {2}}}, std::nullopt);
    forecast.begin_run(0, {0});
    forecast.begin_run(0, {2});
    EXPECT_EQ(left(forecast, 2), 2);
}

TEST(ForecastTest, LaterRunsEndWithTheBudget) {
    Forecast forecast({three_runs, three_runs}, {{10}});
    EXPECT_EQ(left(forecast, 0), 10);
    forecast.begin_run(0, {0});
    forecast.begin_run(1, {4});
    EXPECT_EQ(left(forecast, 4), 6);
}

TEST(ForecastTest, FirstRunsAreMadeWhateverTheBudget) {
    Forecast forecast({three_runs, three_runs}, {{5}});
    EXPECT_EQ(left(forecast, 0), 8);
    forecast.begin_run(0, {0});
    forecast.begin_run(1, {6});  // instead of 4
    EXPECT_EQ(left(forecast, 6), 6);
}

TEST(ForecastTest, ABudgetLongerThanAllRunsChangesNothing) {
    EXPECT_EQ(left(Forecast({three_runs}, {{100}}), 0), 8);
}

}  // namespace
}  // namespace quartet::bench

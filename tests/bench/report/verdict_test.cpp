#include "bench/report/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

Row wrong_row() {
    Row row = fake_row({1});
    row.check->passed = false;
    return row;
}

Row unchecked_row() {
    Row row = fake_row({1});
    row.check.reset();
    return row;
}

TEST(Verdict, IsVerifiedWhereNothingIsWrong) {
    EXPECT_EQ(verdict({}), ExitCode::verified);
    EXPECT_EQ(verdict({std::vector{fake_row({1}), fake_row({2})}, {}}), ExitCode::verified);
    EXPECT_EQ(verdict({std::vector{unchecked_row()}, {}}), ExitCode::verified) << "--verify off";
}

TEST(Verdict, OneWrongResultIsEnough) {
    EXPECT_EQ(verdict({std::vector{fake_row({1}), wrong_row(), fake_row({1})}, {}}),
              ExitCode::wrong_result);
}

TEST(Verdict, OneUnavailableMemberIsEnough) {
    EXPECT_EQ(verdict({std::vector{fake_row({1}), fake_error("no such thing")}, {}}),
              ExitCode::unavailable);
}

TEST(Verdict, AStoppedCaseSaysHowToGoOn) {
    Row stopped = fake_error("stopped");
    stopped.error_code = ExitCode::stopped;
    EXPECT_EQ(verdict({std::vector{stopped}, {}}), ExitCode::stopped);
    EXPECT_EQ(verdict({std::vector{stopped, wrong_row()}, {}}), ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), stopped}, {}}), ExitCode::stopped);
}

TEST(Verdict, AStoppedJobSaysWhetherAnythingIsKept) {
    const Method stopped{.groups = 1, .rounds = 1, .stopped = true};
    const Row left_out = fake_error("stopped before its first run");
    EXPECT_EQ(verdict({std::vector{fake_row({1}), left_out}, stopped}), ExitCode::stopped);
    EXPECT_EQ(verdict({std::vector{left_out}, stopped}), ExitCode::failed);
    EXPECT_EQ(verdict({std::vector{wrong_row(), left_out}, stopped}), ExitCode::wrong_result);
}

TEST(Verdict, AFailedCaseWeighsMost) {
    Row failed = fake_error("another job has taken the space");
    failed.error_code = ExitCode::failed;
    EXPECT_EQ(verdict({std::vector{failed, fake_row({1})}, {}}), ExitCode::failed);
    EXPECT_EQ(verdict({std::vector{wrong_row(), failed}, {}}), ExitCode::failed);
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), failed}, {}}), ExitCode::failed);
}

TEST(Verdict, AWrongResultWeighsMoreThanAnUnavailableMember) {
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), wrong_row()}, {}}),
              ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{wrong_row(), fake_error("no such thing")}, {}}),
              ExitCode::wrong_result);
}

TEST(BudgetText, IsEmptyWhereAllRunsFit) {
    const Method method{.took = {9}};
    const std::vector two_runs{fake_row({1, 1})};
    EXPECT_EQ(budget_text(std::nullopt, 3, {two_runs, method}), "") << "no budget";
    EXPECT_EQ(budget_text(Seconds{10}, 2, {two_runs, method}), "");
    EXPECT_EQ(budget_text(Seconds{10}, 0, {two_runs, method}), "") << "--ci decides";
    EXPECT_EQ(budget_text(Seconds{10}, 2, {std::vector{fake_error("no such thing")}, method}), "");
}

TEST(BudgetText, SaysWhichRunsDidNotFit) {
    const Method method{.took = {10}};
    EXPECT_EQ(budget_text(Seconds{10}, 3, {std::vector{fake_row({1}), fake_row({1, 1})}, method}),
              "1 to 2 of 3 runs in 10 s: a longer --budget allows more\n");
    EXPECT_EQ(budget_text(Seconds{10}, 3, {std::vector{fake_row({1, 1})}, method}),
              "2 of 3 runs in 10 s: a longer --budget allows more\n");
}

TEST(BudgetText, SaysWhichTimeTheFirstRunsTook) {
    EXPECT_EQ(budget_text(Seconds{10}, 1, {std::vector{fake_row({52})}, {.took = {52}}}),
              "measured for 52 s instead of 10: each case runs at least once\n");
    EXPECT_EQ(budget_text(Seconds{10}, 2, {std::vector{fake_row({6, 6})}, {.took = {13}}}), "")
        << "repeats of disturbed runs took it";
}

TEST(BudgetText, BlamesNoBudgetWhereTheJobWasStopped) {
    const Method stopped{.stopped = true, .took = {52}};
    EXPECT_EQ(budget_text(Seconds{10}, 3, {std::vector{fake_row({1})}, stopped}), "");
}

}  // namespace
}  // namespace quartet::bench

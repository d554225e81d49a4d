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
    EXPECT_EQ(verdict({std::vector{fake_row({1}), fake_row({2})}}), ExitCode::verified);
    EXPECT_EQ(verdict({std::vector{unchecked_row()}}), ExitCode::verified) << "--verify off";
}

TEST(Verdict, OneWrongResultIsEnough) {
    EXPECT_EQ(verdict({std::vector{fake_row({1}), wrong_row(), fake_row({1})}}),
              ExitCode::wrong_result);
}

TEST(Verdict, OneUnavailableMemberIsEnough) {
    EXPECT_EQ(verdict({std::vector{fake_row({1}), fake_error("no such thing")}}),
              ExitCode::unavailable);
}

TEST(Verdict, AStoppedCaseSaysHowToGoOn) {
    Row stopped = fake_error("stopped");
    stopped.error_code = ExitCode::stopped;
    EXPECT_EQ(verdict({std::vector{stopped}}), ExitCode::stopped);
    EXPECT_EQ(verdict({std::vector{stopped, wrong_row()}}), ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), stopped}}), ExitCode::stopped);
}

TEST(Verdict, AStoppedJobHasNotFailedThoughNothingIsKept) {
    constexpr bool stopped = true;
    const Row left_out = fake_error("stopped before its first run");
    EXPECT_EQ(verdict({std::vector{fake_row({1}), left_out}, 1, stopped}), ExitCode::stopped);
    EXPECT_EQ(verdict({std::vector{left_out}, 1, stopped}), ExitCode::stopped);
    EXPECT_EQ(verdict({std::vector{wrong_row(), left_out}, 1, stopped}), ExitCode::wrong_result);
}

TEST(Verdict, AWrongResultWeighsMostAndThenAFailedCase) {
    Row failed = fake_error("another job has taken the space");
    failed.error_code = ExitCode::failed;
    EXPECT_EQ(verdict({std::vector{failed, fake_row({1})}}), ExitCode::failed);
    EXPECT_EQ(verdict({std::vector{wrong_row(), failed}}), ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{failed, wrong_row()}}), ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), failed}}), ExitCode::failed);
}

TEST(Verdict, AWrongResultWeighsMoreThanAnUnavailableMember) {
    EXPECT_EQ(verdict({std::vector{fake_error("no such thing"), wrong_row()}}),
              ExitCode::wrong_result);
    EXPECT_EQ(verdict({std::vector{wrong_row(), fake_error("no such thing")}}),
              ExitCode::wrong_result);
}

}  // namespace
}  // namespace quartet::bench

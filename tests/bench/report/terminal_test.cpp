#include "bench/report/terminal.hpp"

#include <gmock/gmock.h>

#include <sstream>
#include <vector>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::string> lines_of(const std::vector<Row>& rows, std::string_view gpus = {}) {
    std::istringstream text(rows_text(rows, gpus));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The words of the line of `row`, which stands below its heading and the titles.
std::vector<std::string> words_of(const Row& row) {
    std::istringstream line(lines_of({row}).at(2));
    std::vector<std::string> words;
    for (std::string word; line >> word;) {
        words.push_back(word);
    }
    return words;
}

Row with_limit(Row row, double seconds) {
    row.limit = Limit{{{"local add", {seconds}}}, {seconds}, {}};
    return row;
}

TEST(FormatRate, HasFourSignificantDigitsWithoutAnExponent) {
    EXPECT_EQ(format_rate(38123.4), "38123");
    EXPECT_EQ(format_rate(1234.56), "1235");
    EXPECT_EQ(format_rate(1.23456), "1.235");
    EXPECT_EQ(format_rate(0.0012345), "0.001234");
    EXPECT_EQ(format_rate(0), "0");
}

TEST(RowsText, HasALineForEachRow) {
    const std::vector<double> times{2, 1, 4, 2, 2, 2};
    EXPECT_THAT(
        lines_of({with_limit(fake_row(times), 0.5)}),
        ElementsAre(
            "stream on host, 2 ranks x 1 thread, pushes 100",
            "formulation, transport     size     MiB/s     95% interval    limit of it check",
            "native shm                 2MiB     100.0     50.00..200.0    400.0   25% ok"));
}

TEST(RowsText, HasTheLimitOfAllRanksAsTablesHave) {
    Row row = with_limit(fake_row({2}), 0.5);
    row.limit->components.front().extend(1, 2);  // as of a data flow with one worker
    EXPECT_THAT(lines_of({row}).at(2), HasSubstr(" 800.0   12% ok"));
    EXPECT_THAT(lines_of({row}).at(3), HasSubstr("its workers', scaled to all ranks"));
}

TEST(RowsText, ShowsTheTimeOfAMessageThatIsSmall) {
    Row row = with_limit(fake_row({2, 1, 4, 2, 2, 2}), 0.5);
    row.work.messages = 100000;
    EXPECT_THAT(lines_of({row}).at(2), HasSubstr(" 20.00us   10.00..40.00us  5.000us   25% ok"));
}

TEST(RowsText, SaysWhatIsNotKnown) {
    Row row = fake_row({2});
    row.check.reset();
    EXPECT_THAT(words_of(row), ElementsAre("native", "shm", "2MiB", "100.0", "-", "-", "-", "off"));
    row.check = Check{};
    EXPECT_EQ(words_of(row).back(), "WRONG");
}

TEST(RowsText, MarksARowBehindItsRate) {
    Row row = with_limit(fake_row({2}), 4);
    row.flags = {{FlagKind::above_limit, "too fast"}};
    EXPECT_EQ(words_of(row).at(3), "100.0!");
    row.flags = {{FlagKind::disturbed, "others"}};
    EXPECT_THAT(words_of(row),
                ElementsAre("native", "shm", "2MiB", "100.0?", "-", "50.00", "-", "ok"))
        << "no fraction";
}

TEST(RowsText, AnErrorIsOneLine) {
    EXPECT_EQ(lines_of({fake_error("nothing is there")}).at(2),
              "native shm                 2MiB error: nothing is there");
    EXPECT_THAT(lines_of({fake_error("nothing"), fake_error("nothing"), fake_error("other")}),
                SizeIs(4))
        << "each once";
}

TEST(RowsText, FitsEightyColumns) {
    Row row = with_limit(fake_row(std::vector<double>(10, 0.0002105)), 0.0004);  // 950119 MiB/s
    row.name.variant = {Formulation::dataflow, "cuda", "staged"};
    row.name.size = "1023MiB";
    row.name.suffix = paper_suffix;
    row.name.ranks = 1024;
    row.name.threads = 128;
    row.flags = {{FlagKind::above_limit, "too fast"}};
    row.check = Check{};
    row.name.words = {{"storage", "symmetric"}};
    const auto lines = lines_of({row}, "8 x NVIDIA H100 80GB HBM3");
    EXPECT_THAT(lines, Each(SizeIs(testing::Le(80U))));
    EXPECT_EQ(lines.at(1), "  pushes 100");
    EXPECT_THAT(lines.back(), HasSubstr("950119!"));
}

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

#include "bench/report/table.hpp"

#include <gmock/gmock.h>

#include <array>

#include <sstream>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> lines_of(const std::vector<Row>& rows,
                                  const std::vector<std::string>& warnings = {}) {
    std::istringstream text(table(rows, warnings));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The words of the line of `row`, which comes after the heading and the titles.
std::vector<std::string> words_of(const Row& row) {
    std::istringstream line(lines_of({row}).at(2));
    std::vector<std::string> words;
    for (std::string word; line >> word;) {
        words.push_back(word);
    }
    return words;
}

Comparison published(double ratio) {
    return {6000,
            "MiB/s",
            "above",
            "two nodes of somewhere, host memory, RDMA over something fast, peak over 2 to 128 MiB",
            "They 2019, section VI.A",
            "",
            ratio,
            1,
            "K80",
            "within one node, 1 worker"};
}

// All that may be long at once.
Row widest_row() {
    Row row = fake_row(std::vector<double>(10, 0.0002105));  // 950119 MiB/s
    row.name.variant = {Formulation::dataflow, "cuda", "staged"};
    row.name.size = "1023MiB";
    row.name.ranks = 1024;
    row.name.threads = 128;
    row.limit = Limit{{{"local add", {0.0004}}}, {0.0004}, {0.0004}};
    row.check->passed = false;
    row.published = published(1234.5);
    return row;
}

auto fits_or_names_a_row() {
    return testing::AnyOf(SizeIs(testing::Le(80U)), HasSubstr("/size:"));
}

// Without line breaks.
std::string words_of(const std::string& text) {
    std::istringstream stream(text);
    std::string all;
    for (std::string word; stream >> word;) {
        all += word + " ";
    }
    return all;
}

TEST(FormatRate, HasFourSignificantDigitsWithoutAnExponent) {
    EXPECT_EQ(format_rate(1.2344), "1.234");
    EXPECT_EQ(format_rate(12.345678), "12.35");
    EXPECT_EQ(format_rate(1234.4), "1234");
    EXPECT_EQ(format_rate(38123.4), "38123");
    EXPECT_EQ(format_rate(0.012345), "0.01235");
}

TEST(FormatRate, OfNothingIsZero) {
    EXPECT_EQ(format_rate(0), "0");
    EXPECT_EQ(format_rate(-1), "0");
    EXPECT_EQ(format_rate(std::numeric_limits<double>::quiet_NaN()), "0");
}

TEST(Table, OfNothingIsEmpty) {
    EXPECT_EQ(table({}, {}), "");
}

TEST(Table, ShowsTheMedianRateBetweenItsInterval) {
    Row row = fake_row({2, 4, 1, 4, 4, 5});  // 100, 50, 200, 50, 50 and 40 MiB/s
    row.limit = Limit{{{"local add", {2}}}, {2}, {2}};
    row.published = published(0.12);
    EXPECT_THAT(words_of(row), testing::ElementsAre("native", "shm", "2MiB", "50.00", "[40.00,",
                                                    "200.0]", "100.0", "50%", "ok", "0.12x"));
}

TEST(Table, SaysSharesBesideTheLimitOnceForAllRows) {
    Row row = fake_row({1, 1, 1});
    row.name.variant.formulation = Formulation::dataflow;
    row.limit = Limit{{{"SGEMM", {1}, {0.75}}, {"reducers", {0.5}}}, {1}, {1}};
    row.limit->components[0].extend(1, 2);
    Row faster = row;
    faster.runs.front().real = faster.runs[1].real = faster.runs[2].real = {0.5};
    Row distrusted = row;
    distrusted.limit->components[0].hardware = {0.25};
    distrusted.flags = {{FlagKind::drift, "drifted"}};
    const std::string text = table(std::vector{row, faster, distrusted}, {});
    EXPECT_THAT(text, HasSubstr("SGEMM: 75% of the processor's FMA peak.\n"));
    EXPECT_THAT(text,
                HasSubstr("dataflow: 50-100% of what all ranks would allow (SGEMM on 1 of 2).\n"));
    EXPECT_EQ(row.beside_limit(),
              "SGEMM has 75% of the processor's FMA peak; SGEMM is on 1 of 2 ranks: all would "
              "allow 400 MiB/s, of which this is 50%");
    row.limit->components = {{"SGEMM", {1}}};
    EXPECT_EQ(row.beside_limit(), "");
    EXPECT_THAT(table(std::vector{row}, {}), Not(HasSubstr(" has ")));
}

TEST(Table, MarksWhatIsNotThere) {
    Row row = fake_row({1, 1, 1});
    row.check.reset();
    EXPECT_THAT(words_of(row),
                testing::ElementsAre("native", "shm", "2MiB", "200.0", "-", "-", "-", "off"));
}

TEST(Table, FlagsFractionsThatCannotBe) {
    Row row = fake_row({1, 1, 1});
    row.limit = Limit{{{"local add", {1.05}}}, {1.05}, {1.05}};
    EXPECT_THAT(words_of(row), testing::Contains("105%"));
    EXPECT_THAT(table(std::vector{row}, {}), Not(HasSubstr("!")));

    row.limit = Limit{{{"local add", {1.06}}}, {1.06}, {1.06}};
    EXPECT_THAT(words_of(row), testing::Contains("106%!"));

    for (const double probe : {0.99, 1.06, 1.06, 1.06, 1.06, 1.06}) {  // chance: 99% to 106%
        row.runs.push_back(row.runs.front());
        row.runs.back().limit_seconds = probe;
    }
    EXPECT_THAT(words_of(row), testing::Contains("106%"));
}

TEST(Table, MarksMediansThatAreNotToBeTrusted) {
    Row row = fake_row({1, 1, 1});
    EXPECT_THAT(table(std::vector{row}, {}), Not(HasSubstr("?")));
    row.flags = {{FlagKind::overhead, "short"}};
    EXPECT_THAT(table(std::vector{row}, {}), Not(HasSubstr("?")));
    row.flags.push_back({FlagKind::drift, "slower"});
    EXPECT_THAT(words_of(row), testing::Contains("200.0?"));
}

TEST(Table, ShoutsAboutWrongResults) {
    Row row = fake_row({1});
    EXPECT_THAT(words_of(row), AllOf(testing::Contains("ok"), Not(testing::Contains("WRONG"))));
    row.check->passed = false;
    EXPECT_THAT(words_of(row), AllOf(testing::Contains("WRONG"), Not(testing::Contains("ok"))));
}

TEST(Table, IsAtMostEightyColumnsWide) {
    Row error = fake_error(
        "transport staged needs an accelerator (none is visible): use --transport mpi, or shm "
        "where "
        "all ranks are on one node");
    error.name = widest_row().name.with_suffix("error");
    Row usual = fake_row({1, 2, 3, 4, 5, 6});
    usual.limit = Limit{{{"local add", {2}}}, {2}, {2}};
    Row drifting = widest_row();
    drifting.flags = {{FlagKind::drift, "the last quarter of the runs took 12% longer"}};
    const auto lines = lines_of(
        {widest_row(), drifting, usual, error},
        {"4 ranks with 128 threads each are more than the 256 cores of the node that they run on: "
         "they will wait for each other, so use fewer"});

    EXPECT_GT(lines.size(), 8U);
    EXPECT_THAT(lines, testing::Contains(HasSubstr("? ")));
    EXPECT_THAT(lines, Each(fits_or_names_a_row()));
}

TEST(Table, IsAtMostEightyColumnsWideForPairs) {
    std::vector<Row> rows;
    for (const char* pair : {"pair:0-1", "pair:15-14", "pair:100-120"}) {
        rows.push_back(widest_row());
        rows.back().name = rows.back().name.with_suffix(pair);
        rows.back().published.reset();
    }
    EXPECT_THAT(lines_of(rows), Each(fits_or_names_a_row()));
    EXPECT_THAT(table(rows, {}), HasSubstr(" pair:15-14 "));
}

TEST(Table, AlignsItsColumns) {
    Row small = fake_row({10, 10, 10, 10, 10, 10});
    small.limit = Limit{{{"local add", {9}}}, {9}, {9}};
    const auto lines = lines_of({widest_row(), small});
    const auto end_of = [](const std::string& line, const std::string& word) {
        return line.find(word) + word.size();
    };
    EXPECT_EQ(end_of(lines.at(1), "median"), end_of(lines.at(2), " 950119"));
    EXPECT_EQ(end_of(lines.at(1), "median"), end_of(lines.at(3), " 20.00"));
    EXPECT_EQ(end_of(lines.at(1), "fraction"), end_of(lines.at(3), "90%"));
}

TEST(Table, ThePapersClockSharesALineWithItsRow) {
    Row whole = fake_row({1});
    Row paper = fake_row({0.5});
    paper.name = paper.name.with_suffix("paper");
    paper.published = published(0.25);

    const auto lines = lines_of({whole, paper});

    EXPECT_THAT(lines.at(2), AllOf(HasSubstr("200.0"), HasSubstr("0.25x")));
    EXPECT_THAT(lines, Each(Not(HasSubstr("400.0"))));
    EXPECT_THAT(lines_of({paper, whole}).at(2), HasSubstr("400.0")) << "alone it has its own";
}

TEST(Table, SaysBelowWhatWasPublishedOnce) {
    Row row = fake_row({1});
    row.published = published(0.5);
    const std::string text = table(std::vector{row, row}, {});
    const auto first = text.find("publ.: above 6000 MiB/s");
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find("publ.:", first + 1), std::string::npos);
    EXPECT_THAT(text, HasSubstr("They 2019"));
    EXPECT_THAT(words_of(text), HasSubstr("ours within one node, 1 worker"));
}

TEST(Table, KeepsErrorsAndWarningsInFull) {
    const std::string error =
        "transport staged needs an accelerator (none is visible here): use --transport mpi";
    const std::string warning =
        "4 ranks with 128 threads each are more than the 256 cores of the node that they run on";
    const Row row = fake_error(error);

    const std::string words = words_of(table(std::vector{row}, std::vector{warning}));

    EXPECT_THAT(words, HasSubstr("error: " + row.name.text() + ": " + error + " "));
    EXPECT_THAT(words, HasSubstr("warning: " + warning + " "));
}

TEST(Table, NamesProgramDeviceAndRanks) {
    EXPECT_THAT(lines_of({fake_row({1})}).at(0),
                HasSubstr("stream on host, 2 ranks x 1 thread: MiB/s"));
    EXPECT_THAT(lines_of({widest_row()}).at(0),
                HasSubstr("stream on cuda, 1024 ranks x 128 threads: MiB/s"));
}

TEST(Table, WordsThatNotAllRowsHaveSetThemApart) {
    Row full = fake_row({1, 2, 3});
    full.name.words = {{"problem", "laplace"}, {"storage", "full"}};
    Row symmetric = full;
    symmetric.name.words = {{"problem", "laplace"}, {"storage", "symmetric"}};
    const std::array rows{full, symmetric};
    const std::string text = table(rows, {});
    EXPECT_THAT(text, HasSubstr(" full "));
    EXPECT_THAT(text, HasSubstr(" symmetric "));
    EXPECT_THAT(text, Not(HasSubstr("laplace")));
}

}  // namespace
}  // namespace quartet::bench

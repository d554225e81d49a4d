#include <gmock/gmock.h>

#include "bench/fake_rows.hpp"
#include "bench/report/verdict.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Row with_limit(Row row, double fraction) {
    const Seconds limit{fraction * row.times().front()};
    row.limit = Limit{{{"local add", limit}}, limit, {limit.value}};
    return row;
}

Row library(double seconds) {
    Row row = fake_row({seconds});
    row.name.variant = {Formulation::library, "host", "mpi"};
    return row;
}

TEST(Summary, SaysFractionsAndLeads) {
    Row large = with_limit(fake_row({1}), 0.9);
    large.name.size = "8MiB";
    const std::vector<Row> rows{with_limit(fake_row({1}), 0.5), large,
                                with_limit(library(2.5), 0.25)};
    EXPECT_EQ(summary_of(rows),
              "All 3 rows verified.\n"
              "Of the limit: native 50% to 90%, library 25%.\n"
              "Native over library: 2.5x.\n");
}

TEST(Summary, QuotesNoRowWithAMark) {
    std::vector<Row> rows{with_limit(fake_row({1}), 0.5), with_limit(library(2.5), 0.25)};
    rows[0].flags = {{FlagKind::disturbed, "others"}};
    EXPECT_THAT(summary_of(rows),
                AllOf(HasSubstr("1 to distrust"), HasSubstr("Of the limit: library 25%."),
                      Not(HasSubstr("50%")), Not(HasSubstr("2.5x")), HasSubstr("Next: ")));
    rows[0].flags = {{FlagKind::above_limit, "too fast"}};
    EXPECT_THAT(summary_of(rows), Not(HasSubstr("2.5x")));
    rows[0].flags = {{FlagKind::overhead, "short"}};
    EXPECT_THAT(summary_of(rows), HasSubstr("2.5x"));
}

TEST(Summary, SaysWhatIsWrongOrDidNotRun) {
    std::vector<Row> rows{fake_row({1}), fake_row({1}), fake_error("none")};
    rows[1].check->passed = false;
    EXPECT_EQ(summary_of(rows), "1 of 3 rows verified; 1 WRONG; 1 not run.\n");
    EXPECT_EQ(summary_of({}), "");
}

TEST(Summary, CountsThePapersClockWithItsRow) {
    std::vector<Row> rows{fake_row({1}), fake_row({1})};
    rows[1].name.suffix = paper_suffix;
    EXPECT_EQ(summary_of(rows), "All 1 row verified.\n");
}

}  // namespace
}  // namespace quartet::bench

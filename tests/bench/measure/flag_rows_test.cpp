#include "bench/measure/flag_rows.hpp"

#include <gmock/gmock.h>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<FlagKind> kinds_of(const Row& row) {
    std::vector<FlagKind> kinds;
    for (const Flag& flag : row.flags) {
        kinds.push_back(flag.kind);
    }
    return kinds;
}

std::vector<FlagKind> kinds_alone(Row row) {
    std::vector<Row> rows{std::move(row)};
    flag_rows(rows);
    return kinds_of(rows.front());
}

// Of so many MiB, whose runs take `seconds`, at a limit of half a second for each MiB.
Row row_of_size(int size, const std::vector<double>& seconds) {
    Row row = fake_row(seconds);
    row.name.size = std::to_string(size) + "MiB";
    row.work.bytes = 100 * mebibytes(size);
    row.limit = Limit{{{"local add", {0.5 * size}}}, {0.5 * size}, {0.5 * size}};
    return row;
}

TEST(FlagRows, LeavesAQuietRowAlone) {
    EXPECT_THAT(kinds_alone(fake_row(std::vector<double>(10, 1))), IsEmpty());
    EXPECT_THAT(kinds_alone(fake_error("none")), IsEmpty());
}

TEST(FlagRows, ALibraryFarBelowItsProcessorIsSaid) {
    const auto flagged = [](Seconds hardware, const std::vector<double>& times) {
        Row row = row_of_size(2, times);
        row.limit->components = {{"SGEMM", {1}, hardware}, {"reducers", {0.1}}};
        return kinds_alone(row);
    };
    const std::vector<double> quiet(8, 1);
    EXPECT_THAT(flagged({0.5}, quiet), ElementsAre(FlagKind::slow_library));
    EXPECT_THAT(flagged({0.7}, quiet), IsEmpty());
    EXPECT_THAT(flagged({0}, quiet), IsEmpty()) << "not known";
    EXPECT_THAT(flagged({0.5}, {1, 1, 1, 5, 5, 5, 5, 5}), ElementsAre(FlagKind::step))
        << "something else may have slowed the library";
}

TEST(FlagRows, AGpuThatWasHeldBackIsAFindingAndNoReasonToDistrust) {
    Row row = fake_row(std::vector<double>(6, 1));
    row.runs[3].conditions.power_capped_share = 0.3;
    std::vector<Row> rows{row};
    flag_rows(rows);
    EXPECT_THAT(kinds_of(rows.front()), ElementsAre(FlagKind::held_back));
    EXPECT_FALSE(rows.front().distrusted());
    EXPECT_EQ(rows.front().mark(), "");
    EXPECT_THAT(describe_flags(rows), ElementsAre(HasSubstr("power limit in 1 of 6 runs")));
    EXPECT_THAT(rows.front().runs[3].disturbed_by, IsEmpty());
}

TEST(FlagRows, KnowsAStepFromTwoSpeedsAndFromADrift) {
    EXPECT_THAT(kinds_alone(fake_row({1, 1, 1, 5, 5, 5, 5, 5})), ElementsAre(FlagKind::step));
    EXPECT_THAT(kinds_alone(fake_row({1, 5, 1, 5, 1, 5, 1, 5})), ElementsAre(FlagKind::two_speeds));
    EXPECT_THAT(kinds_alone(fake_row({1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35})),
                ElementsAre(FlagKind::drift));
}

TEST(FlagRows, SeesALimitThatMoved) {
    Row row = row_of_size(2, std::vector<double>(6, 2));
    row.limit->probes = {1, 1, 1, 1.6, 1.6, 1.6};
    EXPECT_THAT(kinds_alone(row), ElementsAre(FlagKind::limit_moved));
}

TEST(FlagRows, ARowAboveItsLimitOrTooShortIsNotDistrusted) {
    Row row = row_of_size(2, {0.9});
    row.overhead = {0.02};
    std::vector<Row> rows{row};
    flag_rows(rows);
    EXPECT_THAT(kinds_of(rows.front()), ElementsAre(FlagKind::above_limit, FlagKind::overhead));
    EXPECT_THAT(rows.front().flags[1].text, HasSubstr("2% of a run"));
    EXPECT_FALSE(rows.front().distrusted());
}

TEST(FlagRows, ThePapersClockIsJudgedWithItsRow) {
    std::vector<Row> rows{fake_row({1, 1, 1, 5, 5, 5, 5, 5}), fake_row({2, 2, 2, 2, 2, 2, 2, 2})};
    rows[1].name.suffix = paper_suffix;
    flag_rows(rows);
    EXPECT_TRUE(rows[1].distrusted());
    EXPECT_THAT(describe_flags(rows), ElementsAre(HasSubstr("from run 4 of 8 on")));
}

TEST(DescribeFlags, SaysOneOfEachKindAndHowManyThereAre) {
    std::vector<Row> rows{fake_row({1, 1, 1, 5, 5, 5, 5, 5}), fake_row({1, 1, 1, 7, 7, 7, 7, 7}),
                          row_of_size(4, {1.5}), fake_error("none")};
    rows[1].name.size = "8MiB";
    flag_rows(rows);
    EXPECT_THAT(
        describe_flags(rows),
        ElementsAre("? stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1: from run 4 "
                    "of 8 on it took 5 times as long (the first of 2 rows of 3)",
                    "! stream/native/host/shm/size:4MiB/pushes:100/ranks:2/threads:1: above "
                    "its limit, which is too low: a cache helps, or memory was slower while the "
                    "limit was measured; quote the rate, not the fraction"));
}

}  // namespace
}  // namespace quartet::bench

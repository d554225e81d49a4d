#include "bench/measure/disturbance.hpp"

#include <gmock/gmock.h>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Runs of `real` seconds each.
Row row_of(double real, const std::vector<double>& shares) {
    Row row = fake_row(std::vector<double>(shares.size(), real));
    for (std::size_t run = 0; run < shares.size(); ++run) {
        row.runs[run].steal_share = shares[run];
    }
    return row;
}

Row row_on_cores(const std::vector<double>& loops) {
    Row row = fake_row(std::vector<double>(loops.size(), 1));
    for (std::size_t run = 0; run < loops.size(); ++run) {
        row.runs[run].clock_probe_seconds = loops[run];
    }
    return row;
}

TEST(StealShare, IsOfTheCoresThatWereBusy) {
    EXPECT_DOUBLE_EQ(*steal_share(Seconds{7}, Seconds{8}, 4, {2}), 0.125);
    EXPECT_EQ(steal_share(Seconds{7}, Seconds{11}, 1, {2}), 1) << "others' beside it";
    EXPECT_EQ(steal_share(std::nullopt, Seconds{1}, 1, {2}), std::nullopt);
    EXPECT_EQ(steal_share(Seconds{8}, Seconds{7}, 1, {2}), 0) << "a count that went back";
    EXPECT_EQ(steal_share(Seconds{7}, std::nullopt, 1, {2}), std::nullopt);
    EXPECT_EQ(steal_share(Seconds{7}, Seconds{8}, 1, {0}), std::nullopt);
}

TEST(StealShare, OfSeveralRunsIsThatOfTheirTime) {
    Row row = row_of(1, {0.5, 0.1});
    row.runs[1].real = {3};
    EXPECT_DOUBLE_EQ(*steal_share(row.runs), 0.2);
    row.runs[0].steal_share.reset();
    EXPECT_EQ(steal_share(row.runs), std::nullopt);
    EXPECT_EQ(steal_share(fake_row({}).runs), std::nullopt);
}

TEST(IsDisturbed, WantsAShareAndMoreThanItsClocksTick) {
    EXPECT_TRUE(is_disturbed(row_of(2, {0.05, 0.05, 0.05}).runs));
    EXPECT_FALSE(is_disturbed(row_of(2, {0.04, 0.05, 0.05}).runs));
    EXPECT_FALSE(is_disturbed(row_of(0.1, {0.4, 0.5}).runs)) << "nine ticks";
    EXPECT_TRUE(is_disturbed(row_of(0.125, {0.4, 0.4}).runs));
    EXPECT_FALSE(is_disturbed(fake_row({1, 1}).runs));
}

TEST(ClockProbeSeconds, AreTheMedianOfTheRuns) {
    EXPECT_EQ(clock_probe_seconds(row_on_cores({3, 1, 2}).runs), 2);
    Row row = row_on_cores({3, 1, 2});
    row.runs[1].clock_probe_seconds.reset();
    EXPECT_EQ(clock_probe_seconds(row.runs), std::nullopt);
    EXPECT_EQ(clock_probe_seconds(fake_row({}).runs), std::nullopt);
}

TEST(DescribeDisturbances, NamesTheRowThatLostMostAndCountsTheOthers) {
    Row worst = row_of(2, {0.3, 0.3});
    worst.name.size = "4MiB";
    std::vector<Row> rows{row_of(2, {0.1, 0.1}), worst, row_of(2, {0, 0}), fake_error("none"),
                          worst};
    rows.back().name.suffix = "paper";
    EXPECT_THAT(describe_disturbances(rows),
                ElementsAre(AllOf(HasSubstr("withheld 30% of a core's time"),
                                  HasSubstr("size:4MiB"), HasSubstr("5% or more in 2 rows of 3"))));
    EXPECT_THAT(describe_disturbances(std::span(rows).subspan(2)), IsEmpty());
}

TEST(DescribeDisturbances, NamesTheRowOnTheSlowestCoresAgainstTheBestOfAll) {
    Row worst = row_on_cores({2.5, 2.5, 2});
    worst.name.size = "4MiB";
    std::vector<Row> rows{row_on_cores({1.2, 1, 1.2}), worst,
                          row_on_cores({1.7, 1.7, 9}), row_on_cores({2, 2, 1.1}),
                          fake_error("none"),          worst};
    rows.back().name.suffix = "paper";
    EXPECT_THAT(
        describe_disturbances(rows),
        ElementsAre(AllOf(HasSubstr("the cores had 40% of their own best speed"),
                          HasSubstr("size:4MiB"), HasSubstr("57% or less in 2 rows of 4"))));
    rows.erase(rows.begin());
    EXPECT_THAT(describe_disturbances(rows), SizeIs(1)) << "one run was on the best";
    rows = {worst};
    EXPECT_THAT(describe_disturbances(rows), IsEmpty()) << "nothing better is known";
}

}  // namespace
}  // namespace quartet::bench

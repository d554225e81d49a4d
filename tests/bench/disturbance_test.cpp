#include "bench/disturbance.hpp"

#include <gmock/gmock.h>

#include "bench/made_up_rows.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs of `real` seconds each.
Row row_of(double real, const std::vector<double>& shares) {
    Row row = made_up_row(std::vector<double>(shares.size(), real));
    for (std::size_t run = 0; run < shares.size(); ++run) {
        row.runs[run].stolen_share = shares[run];
    }
    return row;
}

TEST(StolenShare, IsOfTheCoresThatWereBusy) {
    EXPECT_DOUBLE_EQ(*stolen_share(Seconds{7}, Seconds{8}, 4, {2}), 0.125);
    EXPECT_EQ(stolen_share(Seconds{7}, Seconds{11}, 1, {2}), 1) << "others' beside it";
    EXPECT_EQ(stolen_share(std::nullopt, Seconds{1}, 1, {2}), std::nullopt);
    EXPECT_EQ(stolen_share(Seconds{8}, Seconds{7}, 1, {2}), 0) << "a count that went back";
    EXPECT_EQ(stolen_share(Seconds{7}, std::nullopt, 1, {2}), std::nullopt);
    EXPECT_EQ(stolen_share(Seconds{7}, Seconds{8}, 1, {0}), std::nullopt);
}

TEST(StolenShare, OfSeveralRunsIsThatOfTheirTime) {
    Row row = row_of(1, {0.5, 0.1});
    row.runs[1].real = {3};
    EXPECT_DOUBLE_EQ(*stolen_share(row.runs), 0.2);
    row.runs[0].stolen_share.reset();
    EXPECT_EQ(stolen_share(row.runs), std::nullopt);
    EXPECT_EQ(stolen_share(made_up_row({}).runs), std::nullopt);
}

TEST(IsDisturbed, WantsAShareAndMoreThanItsClocksTick) {
    EXPECT_TRUE(is_disturbed(row_of(2, {0.05, 0.05, 0.05}).runs));
    EXPECT_FALSE(is_disturbed(row_of(2, {0.04, 0.05, 0.05}).runs));
    EXPECT_FALSE(is_disturbed(row_of(0.1, {0.4, 0.5}).runs)) << "nine ticks";
    EXPECT_TRUE(is_disturbed(row_of(0.125, {0.4, 0.4}).runs));
    EXPECT_FALSE(is_disturbed(made_up_row({1, 1}).runs));
}

TEST(DescribeDisturbance, NamesTheWorstRowAndCountsTheOthers) {
    Row worst = row_of(2, {0.3, 0.3});
    worst.name.size = "4MiB";
    std::vector<Row> rows{row_of(2, {0.1, 0.1}), worst, row_of(2, {0, 0}), made_up_error("none"),
                          worst};
    rows.back().name.suffix = "paper";
    EXPECT_THAT(*describe_disturbance(rows),
                AllOf(HasSubstr("withheld 30% of a core's time"), HasSubstr("size:4MiB"),
                      HasSubstr("5% or more in 2 rows of 3")));
    EXPECT_EQ(describe_disturbance(std::span(rows).subspan(2)), std::nullopt);
}

}  // namespace
}  // namespace quartet::bench

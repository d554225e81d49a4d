#include "bench/results/flags.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<double> alike(8, 1);
const std::vector<double> different{1, 1, 1, 5, 5, 5, 5, 5};

// Two cores, observed for a second, of which the job's own take all.
RunConditions calm() {
    RunConditions conditions;
    conditions.window = {1};
    conditions.node_cores = 2;
    conditions.stolen_share = 0;
    conditions.others_share = 0;
    return conditions;
}

RunConditions with(std::optional<double> RunConditions::*share, double value) {
    RunConditions conditions = calm();
    conditions.*share = value;
    return conditions;
}

Row row_of(const std::vector<RunConditions>& conditions) {
    Row row = fake_row(std::vector<double>(conditions.size(), 1));
    for (std::size_t run = 0; run < conditions.size(); ++run) {
        row.runs[run].conditions = conditions[run];
    }
    return row;
}

Row flagged(Row row, const RunConditions& job = calm()) {
    std::vector<Row> rows{std::move(row)};
    flag_rows(rows, job);
    return rows.front();
}

// Two cores for 11 ms, of which the counters see nothing or everything.
RunConditions brief() {
    RunConditions conditions = with(&RunConditions::others_share, 1);
    conditions.window = {0.011};
    return conditions;
}

std::vector<FlagKind> kinds_of(const Row& row) {
    std::vector<FlagKind> kinds;
    for (const Flag& flag : flagged(row).flags) {
        kinds.push_back(flag.kind);
    }
    return kinds;
}

Row with_limit(Row row, const std::vector<LimitComponent>& probe) {
    row.limit.emplace();
    row.limit->add(probe);
    return row;
}

Row above_limit(std::size_t runs) {
    Row row = with_limit(fake_row(std::vector<double>(runs, 0.9)), {{"local add", {1}}});
    row.name.size = "4MiB";
    return row;
}

TEST(IsDisturbed, ByWhateverTookATwentiethOfTheCores) {
    EXPECT_FALSE(is_disturbed(calm()));
    EXPECT_FALSE(is_disturbed({})) << "the system tells nothing";
    EXPECT_TRUE(is_disturbed(with(&RunConditions::others_share, 0.06)));
    EXPECT_FALSE(is_disturbed(with(&RunConditions::others_share, 0.04)));
    EXPECT_TRUE(is_disturbed(with(&RunConditions::stolen_share, 0.07)));
    EXPECT_FALSE(is_disturbed(with(&RunConditions::power_capped_share, 0.5)));
    RunConditions brief = with(&RunConditions::others_share, 0.5);
    brief.window = {0.05};
    EXPECT_FALSE(is_disturbed(brief)) << "five ticks on two cores";
}

TEST(FlagRows, LeavesAQuietRowAlone) {
    EXPECT_THAT(kinds_of(fake_row(alike)), IsEmpty());
    EXPECT_THAT(kinds_of(fake_error("none")), IsEmpty());
}

TEST(FlagRows, SaysWhatDisturbedMoreThanAQuarterOfTheRuns) {
    const RunConditions others = with(&RunConditions::others_share, 0.48);
    const Row row = flagged(row_of({others, others, calm(), others}));
    ASSERT_EQ(row.flags.size(), 1U);
    EXPECT_EQ(row.flags.front().kind, FlagKind::disturbed);
    EXPECT_EQ(row.flags.front().text,
              "other processes took time worth 48% of the job's cores in 3 of 4 runs");
    EXPECT_EQ(row.mark(), "?");
    const RunConditions stolen = with(&RunConditions::stolen_share, 0.3);
    EXPECT_THAT(flagged(row_of({stolen})).flags.front().text, HasSubstr("withheld 30%"));
    EXPECT_THAT(kinds_of(row_of({stolen, calm(), calm(), calm(), calm()})), IsEmpty());
    RunConditions half = with(&RunConditions::others_share, 0.14);
    half.window = {0.05};
    EXPECT_THAT(
        flagged(row_of(std::vector(7, half))).flags.front().text,
        "other processes took time worth 14% of the job's cores, by the median of all runs");
}

TEST(FlagRows, AFewShortRunsAreInDoubtWhereTheWholeJobWasDisturbed) {
    RunConditions busy = with(&RunConditions::others_share, 0.5);
    busy.window = {10};
    const Row row = flagged(row_of({brief()}), busy);
    ASSERT_EQ(row.flags.size(), 1U);
    EXPECT_EQ(row.flags.front().kind, FlagKind::disturbed);
    EXPECT_THAT(row.flags.front().text,
                testing::StartsWith("during the whole job other processes "
                                    "took time worth 50% of the job's cores"));
    EXPECT_EQ(row.mark(), "?");
    const auto is_doubted = [](const Row& one, const RunConditions& job) {
        return flagged(one, job).distrusted();
    };
    EXPECT_TRUE(is_doubted(row_of({brief(), brief(), brief()}), busy));
    RunConditions missed = with(&RunConditions::others_share, 0.4);
    missed.window = {0.07};
    EXPECT_TRUE(is_doubted(row_of({missed}), busy)) << "six ticks are as many as chance may bring";
    EXPECT_FALSE(is_doubted(row_of({brief()}), calm())) << "a quiet machine";
    EXPECT_FALSE(is_doubted(row_of({calm()}), busy)) << "its own counters tell that it was quiet";
    EXPECT_TRUE(is_doubted(row_of(std::vector(6, brief())), busy)) << "a load that all had";
    RunConditions unseen = brief();
    unseen.others_share = 0;
    EXPECT_FALSE(is_doubted(row_of(std::vector(6, unseen)), busy)) << "they show their spread";
    unseen.window = {1e-3};
    EXPECT_TRUE(is_doubted(row_of(std::vector(20, unseen)), busy)) << "the load lasted longer";
}

TEST(FlagRows, ARowWhoseRunsDifferIsUnsteady) {
    EXPECT_THAT(kinds_of(fake_row(different)), ElementsAre(FlagKind::unsteady));
    EXPECT_THAT(flagged(fake_row(different)).flags.front().text, HasSubstr("spans 80%"));
    EXPECT_TRUE(flagged(fake_row(different)).distrusted());
    EXPECT_THAT(kinds_of(fake_row({1, 1, 1, 1, 1, 1, 1, 9})), IsEmpty()) << "one outlier";
}

TEST(FlagRows, ALibraryFarBelowItsProcessorIsSaid) {
    const auto kinds = [](Seconds hardware, const std::vector<double>& times) {
        return kinds_of(with_limit(fake_row(times), {{"SGEMM", {1}, hardware}, {"sums", {0.1}}}));
    };
    EXPECT_THAT(kinds({0.5}, alike), ElementsAre(FlagKind::slow_library));
    EXPECT_THAT(kinds({0.7}, alike), IsEmpty());
    EXPECT_THAT(kinds({0}, alike), IsEmpty()) << "not known";
    EXPECT_THAT(kinds({0.5}, different), ElementsAre(FlagKind::unsteady))
        << "something else may have slowed the library";
}

TEST(FlagRows, ARowAboveItsLimitIsNotDistrusted) {
    const Row row = flagged(above_limit(3));
    ASSERT_EQ(row.flags.size(), 1U);
    EXPECT_EQ(row.flags.front().kind, FlagKind::above_limit);
    EXPECT_FALSE(row.distrusted());
    EXPECT_EQ(row.mark(), "!");
}

TEST(FlagRows, ALimitWhoseMeasurementsDifferIsADoubt) {
    const auto probed = [](const std::vector<double>& times) {
        Row row = fake_row(alike);
        row.limit.emplace();
        for (const double time : times) {
            row.limit->add({{"memory", {time}}});
        }
        return flagged(row);
    };
    EXPECT_EQ(probed({0.8, 0.9, 0.7, 0.8}).mark(), "");
    const Row row = probed({0.01, 0.01, 0.8, 20, 0.01, 20});
    EXPECT_EQ(row.mark(), "?");
    EXPECT_THAT(row.flags.front().text, HasSubstr("the times of its limit differ"));
}

TEST(FlagRows, AGpuThatWasHeldBackIsAFindingAndNoReasonToDistrust) {
    const RunConditions capped = with(&RunConditions::power_capped_share, 0.3);
    RunConditions hot = with(&RunConditions::thermally_slowed_share, 0.5);
    hot.power_capped_share = 0.04;
    const Row row = flagged(row_of({capped, hot}));
    ASSERT_EQ(row.flags.size(), 1U);
    EXPECT_EQ(row.flags.front().kind, FlagKind::held_back);
    EXPECT_THAT(row.flags.front().text,
                AllOf(HasSubstr("at its power limit in 1 of 2 runs (for 30% of their time)"),
                      HasSubstr("; the GPU was too hot, and slowed down in 1 of 2 runs (for 50%")));
    EXPECT_EQ(row.mark(), "");
}

TEST(DescribeFlags, SaysOneOfEachKindAndHowManyThereAre) {
    std::vector<Row> rows{fake_row(different), fake_row(different), above_limit(6),
                          fake_error("none"), fake_row(alike)};
    rows[1].name.size = "8MiB";
    rows[4].name.suffix = paper_suffix;  // judged with the row that it belongs to
    flag_rows(rows);
    EXPECT_TRUE(rows[4].distrusted());
    EXPECT_THAT(
        describe_flags(rows),
        ElementsAre("? stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1: the runs "
                    "differ: the middle half of their times spans 80% of the median (the first of "
                    "2 such rows among 3 measured ones)",
                    AllOf(testing::StartsWith("! stream/native/host/shm/size:4MiB"),
                          HasSubstr("quote the rate, not the fraction"))));
}

}  // namespace
}  // namespace quartet::bench

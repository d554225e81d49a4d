#include "bench/report/row.hpp"

#include <gtest/gtest.h>

#include "bench/fake_rows.hpp"

namespace quartet::bench {
namespace {

TEST(RowName, HoldsTheFactorsInAFixedOrder) {
    RowName name = fake_row({}).name;
    EXPECT_EQ(name.text(), "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1");

    name.factors.emplace_back("chunk", "64KiB");
    name.ranks = 4;
    name.threads = 8;
    EXPECT_EQ(name.text(),
              "stream/native/host/shm/size:2MiB/pushes:100/chunk:64KiB/ranks:4/threads:8");
}

TEST(RowName, TakesFactorsWithoutAKeyAndSizesInElements) {
    const RowName name{
        .kernel = "cg",
        .variant = {Formulation::native, "host", "shm"},
        .words = {{"problem", "laplace"}, {"storage", "full"}, {"algorithm", "classic"}},
        .size_key = "n",
        .size = "8192",
        .factors = {},
        .ranks = 2,
        .threads = 1,
        .suffix = {}};
    EXPECT_EQ(name.text(), "cg/native/host/shm/laplace/full/classic/n:8192/ranks:2/threads:1");
}

TEST(RowName, SaysWhichMachineAModelIsOf) {
    RowName name = fake_row({}).name;
    name.machine = "fat-tree";
    EXPECT_EQ(name.text(),
              "stream/native/host/shm/size:2MiB/pushes:100/machine:fat-tree/ranks:2/threads:1");
}

TEST(RowName, EndsInItsSuffix) {
    const RowName name = fake_row({}).name;
    EXPECT_EQ(name.with_suffix("paper").text(), name.text() + "/paper");
    EXPECT_EQ(name.with_suffix("paper").with_suffix("error").text(), name.text() + "/error");
    EXPECT_EQ(name.with_suffix("").text(), name.text());
}

TEST(Work, HasItsRateInItsUnit) {
    Work work;
    work.bytes = mebibytes(6);
    work.flops = {4e9};
    EXPECT_EQ(work.rate({2}), 3) << "MiB/s";
    EXPECT_EQ(name(work.unit), "MiB/s");

    work.unit = RateUnit::gflops;
    EXPECT_EQ(work.rate({2}), 2) << "GFLOP/s";
    EXPECT_EQ(name(work.unit), "GFLOP/s");
}

TEST(Work, HasNoRateWithoutTime) {
    EXPECT_EQ(fake_row({}).work.rate({0}), 0);
    EXPECT_EQ(fake_row({}).work.rate({-1}), 0);
}

TEST(FractionOfLimit, IsTheLimitsTimeOverTheMedian) {
    Row row = fake_row({0.5, 0.25, 4});
    EXPECT_EQ(row.fraction_of_limit(), std::nullopt) << "no limit was measured";

    row.limit = Limit{{{"local add", {0.125}}}, {0.125}, {0.125}};
    EXPECT_EQ(row.fraction_of_limit(), 0.25);

    row.runs.clear();
    EXPECT_EQ(row.fraction_of_limit(), std::nullopt) << "nothing was run";
}

}  // namespace
}  // namespace quartet::bench

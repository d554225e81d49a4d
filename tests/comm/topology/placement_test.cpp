#include "comm/topology/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/check.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<int> range(int first, int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

// A rank on cores [first, first + count) of a node with one thread a core.
Placement on_cores(int first, int count, int node_cores, int node = 0) {
    return {.host = "n" + std::to_string(node),
            .node = node,
            .cpus = range(first, count),
            .cores = count,
            .core_numbers = range(first, count),
            .node_cores = node_cores,
            .numa_nodes = {0}};
}

TEST(PlacementWarnings, NamesRanksBoundOnTopOfEachOther) {
    const std::vector<Placement> ranks{on_cores(0, 1, 4), on_cores(1, 1, 4), on_cores(1, 1, 4)};
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(AllOf(HasSubstr("ranks 1-2 on n0 are bound on top of each other"),
                                  HasSubstr("2 threads on CPU 1, of 4 cores"))));
}

TEST(PlacementWarnings, RanksOnTheHardwareThreadsOfOneCoreAreOnTopOfEachOther) {
    auto first = on_cores(0, 1, 4);
    auto second = first;
    second.cpus = {4};  // of the same core
    EXPECT_THAT(placement_warnings(std::vector{first, second}, 1),
                ElementsAre(AllOf(HasSubstr("ranks 0-1 on n0 are bound on top of each other"),
                                  HasSubstr("2 threads on CPUs 0,4, of 4 cores"))));
}

TEST(PlacementWarnings, ARankCanBeBoundTooTightlyForItsThreads) {
    const std::vector<Placement> ranks{on_cores(0, 1, 8), on_cores(1, 1, 8)};
    EXPECT_THAT(placement_warnings(ranks, 2),
                ElementsAre(HasSubstr("rank 0 on n0 is bound to fewer cores than it has threads")));
}

TEST(PlacementWarnings, MoreThreadsThanCoresIsOneWarning) {
    const std::vector<Placement> unbound(3, on_cores(0, 2, 2));
    EXPECT_THAT(placement_warnings(unbound, 1),
                ElementsAre(HasSubstr("ranks 0-2 on n0: 3 x 1 threads share 2 cores")));
    const std::vector<Placement> bound{on_cores(0, 1, 1), on_cores(0, 1, 1)};
    EXPECT_THAT(placement_warnings(bound, 1),
                ElementsAre(HasSubstr("ranks 0-1 on n0: 2 x 1 threads share 1 core ")));
    EXPECT_THAT(placement_warnings(std::vector{on_cores(0, 2, 2)}, 3), SizeIs(1));
}

TEST(UsableCores, AreAsManyAsTheQuotaGivesTheTimeOf) {
    std::vector<Placement> ranks{on_cores(0, 4, 8), on_cores(4, 4, 8)};
    const auto limited_to = [&](double quota) {
        ranks[0].quota = ranks[1].quota = quota;
        return usable_cores(ranks, 0);
    };
    EXPECT_EQ(limited_to(2), 2);
    EXPECT_EQ(limited_to(3.9), 3);
    EXPECT_EQ(limited_to(0.5), 1);
    EXPECT_EQ(limited_to(64), 8);
    limited_to(2);
    ranks[1].quota.reset();
    EXPECT_EQ(usable_cores(ranks, 0), 8) << "one is not limited";
}

TEST(PlacementWarnings, NamesRanksSpreadOverNumaNodes) {
    auto spread = on_cores(2, 4, 8);
    spread.numa_nodes = {0, 1};
    const std::vector<Placement> ranks{on_cores(0, 2, 8), spread};
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(AllOf(HasSubstr("rank 1 on n0"), HasSubstr("NUMA"))));
}

TEST(CpuList, IsWrittenInRangesAndReadBack) {
    EXPECT_EQ(format_cpus({}), "");
    EXPECT_EQ(format_cpus({7}), "7");
    EXPECT_EQ(format_cpus({0, 1}), "0-1");
    EXPECT_EQ(format_cpus({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
    for (const char* text : {"", "7", "0-1", "0-3,8,10-11"}) {
        EXPECT_EQ(format_cpus(parse_cpus(text)), text);
    }
}

TEST(CpuList, RefusesAnythingElse) {
    for (const char* text : {"a", "1-", "1,", "-1", "1 2", "1--2", ","}) {
        EXPECT_THROW(parse_cpus(text), Failure) << text;
    }
}

}  // namespace
}  // namespace quartet::comm

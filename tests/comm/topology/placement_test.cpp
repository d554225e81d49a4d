#include "comm/topology/placement.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
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

TEST(PlacementWarnings, RanksOnCoresOfTheirOwnAreFine) {
    const std::vector<Placement> ranks{on_cores(0, 2, 4), on_cores(2, 2, 4)};
    EXPECT_THAT(placement_warnings(ranks, 2), IsEmpty());
}

TEST(PlacementWarnings, UnboundRanksAreFine) {
    const std::vector<Placement> ranks(4, on_cores(0, 4, 4));
    EXPECT_THAT(placement_warnings(ranks, 1), IsEmpty());
}

TEST(PlacementWarnings, RanksThatShareASocketWithCoresForEachAreFine) {
    const std::vector<Placement> ranks{on_cores(0, 4, 8), on_cores(0, 4, 8), on_cores(4, 4, 8)};
    EXPECT_THAT(placement_warnings(ranks, 2), IsEmpty());
}

TEST(PlacementWarnings, NamesRanksBoundOnTopOfEachOther) {
    const std::vector<Placement> ranks{on_cores(0, 1, 4), on_cores(1, 1, 4), on_cores(1, 1, 4)};
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(AllOf(HasSubstr("ranks 1-2 on n0 are bound on top of each other"),
                                  HasSubstr("2 threads on CPU 1, of 4 cores"))));
}

TEST(PlacementWarnings, OverlapsConnectThroughAThirdRank) {
    const std::vector<Placement> ranks{on_cores(0, 2, 16), on_cores(2, 2, 16), on_cores(1, 2, 16)};
    EXPECT_THAT(placement_warnings(ranks, 1), IsEmpty()) << "three threads on four cores";
    EXPECT_THAT(placement_warnings(ranks, 2),
                ElementsAre(HasSubstr("ranks 0-2 on n0 are bound on top of each other")));
}

TEST(PlacementWarnings, HardwareThreadsOfACoreAreNotCores) {
    auto first = on_cores(0, 1, 4);
    first.cpus = {0, 4};
    const std::vector<Placement> ranks{first, first};
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(HasSubstr("2 threads on CPUs 0,4, of 4 cores")));
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

TEST(PlacementWarnings, MoreThreadsThanAControlGroupsQuota) {
    std::vector<Placement> ranks{on_cores(0, 4, 8), on_cores(4, 4, 8)};
    ranks[0].quota = ranks[1].quota = 2;
    EXPECT_THAT(placement_warnings(ranks, 1), IsEmpty());
    EXPECT_THAT(placement_warnings(ranks, 4),
                ElementsAre(HasSubstr("ranks 0-1 on n0: 2 x 4 threads have the time of 2 cores")));
    ranks[0].quota = ranks[1].quota = 1.5;
    EXPECT_THAT(placement_warnings(ranks, 1), ElementsAre(HasSubstr("the time of 1.5 cores")));
    ranks[1].quota.reset();
    EXPECT_THAT(placement_warnings(ranks, 4), IsEmpty()) << "one is not limited";
}

TEST(UsableCores, AreThoseOfAllRanksOfTheNode) {
    const std::vector<Placement> ranks{on_cores(0, 2, 8), on_cores(1, 2, 8), on_cores(0, 4, 8, 1)};
    EXPECT_EQ(usable_cores(ranks, 0), 3);
    EXPECT_EQ(usable_cores(ranks, 1), 4);
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

TEST(BusyCores, AreThoseOfRanksThatMayRunInTheSamePlace) {
    const std::vector<Placement> unbound(3, on_cores(0, 8, 8));
    EXPECT_EQ(busy_cores(unbound, 1, 2), 6);
    EXPECT_EQ(busy_cores(unbound, 1, 4), 8);
    const std::vector<Placement> bound{on_cores(0, 4, 8), on_cores(4, 4, 8), on_cores(0, 4, 8, 1)};
    EXPECT_EQ(busy_cores(bound, 0, 2), 2);
    EXPECT_EQ(busy_cores(bound, 0, 4), 4);
}

TEST(PlacementWarnings, CoresThatOnlyOthersKnowOfCount) {
    // Each rank in a control group of its own sees its own core alone.
    const std::vector<Placement> ranks{on_cores(0, 1, 1), on_cores(1, 1, 1)};
    EXPECT_THAT(placement_warnings(ranks, 1), IsEmpty());
}

TEST(PlacementWarnings, NamesRanksSpreadOverNumaNodes) {
    auto spread = on_cores(2, 4, 8);
    spread.numa_nodes = {0, 1};
    const std::vector<Placement> ranks{on_cores(0, 2, 8), spread};
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(AllOf(HasSubstr("rank 1 on n0"), HasSubstr("NUMA"))));
}

TEST(PlacementWarnings, NodesAreSeparate) {
    const std::vector<Placement> ranks{on_cores(0, 1, 2, 0), on_cores(0, 1, 2, 1)};
    EXPECT_THAT(placement_warnings(ranks, 1), IsEmpty());
}

TEST(PlacementWarnings, WhatManyNodesHaveIsSaidOnce) {
    std::vector<Placement> ranks;
    for (int node = 0; node < 50; ++node) {
        ranks.push_back(on_cores(0, 1, 4, node));
        ranks.push_back(on_cores(0, 1, 4, node));
    }
    EXPECT_THAT(placement_warnings(ranks, 1),
                ElementsAre(AllOf(HasSubstr("ranks 0-1 on n0"), HasSubstr("alike on 50 nodes"),
                                  Not(HasSubstr("\n")))));
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

TEST(NodeNumbers, CountNodesByTheirLowestRank) {
    EXPECT_THAT(node_numbers(std::vector<std::int64_t>{0, 1, 0, 1, 4}), ElementsAre(0, 1, 0, 1, 2));
    EXPECT_THAT(node_numbers({}), IsEmpty());
}

/// Processor time of all that is found out about nodes of one rank each.
double seconds_for_nodes(int ranks) {
    std::vector<std::int64_t> lowest(static_cast<std::size_t>(ranks));
    std::iota(lowest.begin(), lowest.end(), 0);
    std::vector<Placement> placements;
    for (int rank = 0; rank < ranks; ++rank) {
        placements.push_back(on_cores(0, 4, 4, rank));
        placements.back().quota = 3;
    }
    const Seconds begin = process_cpu_time();
    EXPECT_EQ(node_numbers(lowest).back(), ranks - 1);
    EXPECT_THAT(placement_warnings(placements, 4),
                ElementsAre(HasSubstr(fmt::format("alike on {} nodes in all", ranks))));
    return (process_cpu_time() - begin).value;
}

// It grew with ranks times nodes: 64 times as long for 8 times as many.
TEST(ManyNodes, TakeTimeInProportion) {
    const double few = std::min({seconds_for_nodes(2048), seconds_for_nodes(2048)});
    const double many = std::min({seconds_for_nodes(16384), seconds_for_nodes(16384)});
    EXPECT_LT(many, 24 * few);
}

}  // namespace
}  // namespace quartet::comm

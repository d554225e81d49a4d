#include "comm/topology/link_traffic.hpp"

#include <gtest/gtest.h>

namespace quartet::comm {
namespace {

constexpr std::int64_t mib = 1 << 20;

/// Two ranks on one node, each with a GPU of its own, and two on another, which share one.
const std::vector<RankPlace> places{{"a", 0, 0}, {"a", 0, 1}, {"b", 1, 2}, {"b", 1, 2}};
const std::vector<RankPlace> without_gpus{{"a", 0}, {"a", 0}, {"b", 1}};

TEST(LinkTraffic, GoesFromGpuToGpuOrThroughTheHost) {
    std::vector<RankTraffic> ranks(4);
    ranks[0].sent = {9 * mib, 2 * mib, 1 * mib, 0};
    ranks[1].sent = {3 * mib};
    ranks[2].sent = {0, 0, 0, 4 * mib};

    EXPECT_EQ(describe_traffic(ranks, places, Route::direct),
              "between GPUs of a node 5 MiB (most: rank 1's to rank 0's, 3 MiB); within GPUs that "
              "ranks share 4 MiB; between nodes 1 MiB");
    EXPECT_EQ(describe_traffic(ranks, places, Route::through_host),
              "from GPUs to the host 10 MiB (most: rank 2's, 4 MiB); from the host to GPUs 10 MiB "
              "(most: rank 2's, 5 MiB); between nodes 1 MiB");
}

TEST(LinkTraffic, CountsPayloadsBetweenHostsAndCopiesBesides) {
    std::vector<RankTraffic> ranks(4);
    ranks[1].payloads = {2 * mib, 0, 0, 1 * mib};
    ranks[1].copied_out = 3 * mib;
    ranks[3].copied_in = 1 * mib;

    EXPECT_EQ(
        describe_traffic(ranks, places, Route::direct),
        "from GPUs to the host 3 MiB; from the host to GPUs 1 MiB; between ranks of a node, in "
        "its memory 2 MiB; between nodes 1 MiB");
}

TEST(LinkTraffic, WithoutGpusIsWithinAndBetweenNodes) {
    std::vector<RankTraffic> ranks(3);
    ranks[0].sent = {7 * mib, 1 * mib, 2 * mib};
    ranks[2].sent = {3 * mib, 0, 7 * mib};

    EXPECT_EQ(describe_traffic(ranks, without_gpus, Route::direct),
              "between ranks of a node, in its memory 1 MiB; between nodes 5 MiB (most: b to a, 3 "
              "MiB)");
}

TEST(LinkTraffic, IsGatheredFromAllRanks) {
    const auto world = Communicator::world();
    const auto ranks = static_cast<std::size_t>(world.size());
    RankTraffic mine;
    EXPECT_FALSE(mine.known());
    if (world.rank() == 0) {
        mine.payloads.assign(ranks, 5);
        mine.copied_in = 6;
    }
    const auto all = gather(mine, world);

    ASSERT_EQ(all.size(), ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(all[rank].sent, std::vector<std::int64_t>(ranks, 0));
        EXPECT_EQ(all[rank].payloads, std::vector<std::int64_t>(ranks, rank == 0 ? 5 : 0));
        EXPECT_EQ(all[rank].copied_in, rank == 0 ? 6 : 0);
        EXPECT_EQ(all[rank].copied_out, 0);
    }
}

}  // namespace
}  // namespace quartet::comm

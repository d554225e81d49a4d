#include "bench/session/gpus.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::ordered_json;
using testing::Not;

Gpu gpu_with(const Json& before, const Json& after) {
    return {"node1", {0}, "NVIDIA H200", "GPU-1", "{}", before.dump(), after.dump()};
}

TEST(GpusTest, ThrottlingIsWarnedAboutButIdlenessIsNot) {
    const auto warnings_of = [](const Json& reasons) {
        const std::vector gpus{gpu_with(Json::object(), Json{{"throttled_by", reasons}})};
        return throttle_warnings(gpus);
    };
    EXPECT_THAT(warnings_of({"power cap", "application clocks"}),
                ElementsAre(AllOf(HasSubstr("NVIDIA H200 on node1"), HasSubstr("(power cap)"))));
    EXPECT_THAT(warnings_of({"idle", "application clocks"}), IsEmpty());
    EXPECT_THAT(warnings_of(Json::array()), IsEmpty());
}

TEST(GpusTest, RanksThatSeeDifferentSingleGpusAreWarnedAbout) {
    const auto sight = [](int node, int visible, const char* uuid) {
        return GpuSight{node, "node" + std::to_string(node), visible, uuid, {}, {}};
    };
    const std::vector hidden{sight(0, 1, "a"), sight(0, 1, "b"), sight(1, 1, "c")};
    const std::vector open{sight(0, 2, "a"), sight(0, 2, "b")};
    const std::vector one_each{sight(0, 1, "a"), sight(0, 1, "a"), sight(1, 1, "b")};
    EXPECT_THAT(sight_warnings(hidden),
                ElementsAre(AllOf(HasSubstr("ranks on node0"), HasSubstr("--gpu-bind=none"))));
    EXPECT_THAT(sight_warnings(open), IsEmpty());
    EXPECT_THAT(sight_warnings(one_each), IsEmpty());
}

TEST(GpusTest, FarGpusAreWarnedAbout) {
    const auto sight = [](std::vector<int> near, std::vector<int> cores) {
        return GpuSight{0, "node0", 1, "a", std::move(near), std::move(cores)};
    };
    const std::vector far{sight({0}, {0}), sight({1}, {0}), sight({1}, {0})};
    const std::vector near{sight({0}, {0}), sight({0, 1}, {1}), sight({}, {0}), sight({1}, {0, 1})};
    EXPECT_THAT(distance_warnings(far),
                ElementsAre(AllOf(HasSubstr("ranks 1-2"), HasSubstr("NUMA node"))));
    EXPECT_THAT(distance_warnings(near), IsEmpty());
}

// Ranks of a node by socket, and how far it is to a GPU there and elsewhere.
constexpr int here = 8;
constexpr int there = 16;

std::vector<std::vector<int>> distances(const std::vector<int>& sockets_of_ranks,
                                        const std::vector<int>& sockets_of_gpus) {
    std::vector<std::vector<int>> rows;
    for (const int rank : sockets_of_ranks) {
        rows.emplace_back();
        for (const int gpu : sockets_of_gpus) {
            rows.back().push_back(gpu == rank ? here : there);
        }
    }
    return rows;
}

TEST(DealGpusTest, EachSocketsRanksTakeItsGpus) {
    EXPECT_THAT(deal_gpus(distances({0, 0, 1, 1}, {1, 1, 0, 0})), ElementsAre(2, 3, 0, 1));
    EXPECT_THAT(deal_gpus(distances({0, 1, 0, 1}, {0, 0, 1, 1})), ElementsAre(0, 2, 1, 3));
    EXPECT_THAT(deal_gpus(distances({3, 2, 1, 0}, {0, 1, 2, 3})), ElementsAre(3, 2, 1, 0));
}

TEST(DealGpusTest, NoGpuServesASecondRankBeforeEachHasOne) {
    EXPECT_THAT(deal_gpus(distances({0, 0, 0, 0}, {1, 0, 1, 0})), ElementsAre(1, 3, 0, 2));
    EXPECT_THAT(deal_gpus(distances({1, 1, 0, 0}, {0, 0})), ElementsAre(0, 1, 0, 1))
        << "all are attached to one socket";
}

class ChooseGpuTest : public testing::Test {
  protected:
    // GPUs at addresses where nobody has one.
    int chosen(const std::optional<GpuMap>& map, int visible) {
        std::vector<std::string> buses;
        for (int gpu = 0; gpu < visible; ++gpu) {
            buses.push_back("ffff:ff:0" + std::to_string(gpu) + ".0");
        }
        return choose_gpu(map, buses, topology, world);
    }
    std::string refusal_of(const std::optional<GpuMap>& map, int visible) {
        const std::string message = message_of<UsageError>([&] { chosen(map, visible); });
        for (const std::string& other : world.gather(message)) {
            EXPECT_EQ(other, message) << "all ranks agree";
        }
        return message;
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const int local_rank = topology.mine().local_rank;
    const int local_size = topology.mine().local_size;
};

TEST_F(ChooseGpuTest, RanksTakeGpusInTurnUnlessMapped) {
    EXPECT_EQ(chosen({}, 1), 0);
    EXPECT_EQ(chosen({}, 2), local_rank % 2);
    GpuMap reversed;
    for (int rank = 0; rank < local_size; ++rank) {
        reversed.push_back(local_size - 1 - rank);
    }
    EXPECT_EQ(chosen(reversed, local_size), local_size - 1 - local_rank);
}

TEST_F(ChooseGpuTest, EachRankNeedsItsOwnNumber) {
    const GpuMap longer(static_cast<std::size_t>(local_size) + 1, 0);
    EXPECT_THAT(refusal_of(longer, 1), AllOf(HasSubstr("--gpu-map 0,0"), HasSubstr("numbers"),
                                             HasSubstr("for each rank"), Not(HasSubstr("\n"))));
}

TEST_F(ChooseGpuTest, AGpuThatOneRankDoesNotSeeIsRefusedOnAll) {
    GpuMap map(static_cast<std::size_t>(local_size), 0);
    map.back() = 2;
    EXPECT_THAT(refusal_of(map, 2), AllOf(HasSubstr("no GPU 2"), HasSubstr("sees 2")));
}

TEST_F(ChooseGpuTest, RanksMustAgreeOnTheMap) {
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank agrees with itself";
    }
    const GpuMap zeros(static_cast<std::size_t>(local_size), 0);
    const GpuMap other(static_cast<std::size_t>(local_size), 1);
    EXPECT_THAT(refusal_of(world.rank() == 0 ? zeros : other, 2),
                HasSubstr("differs between ranks"));
}

}  // namespace
}  // namespace quartet::bench

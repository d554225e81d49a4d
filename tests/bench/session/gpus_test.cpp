#include "bench/session/gpus.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Json = nlohmann::ordered_json;

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

}  // namespace
}  // namespace quartet::bench

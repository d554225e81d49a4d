#include "bench/results/limit.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"

namespace quartet::bench {
namespace {

using Probes = std::vector<std::vector<LimitComponent>>;

TEST(Limit, IsTheMedianOfEachProbesSlowestComponent) {
    const Limit limit = limit_of(Probes{{{"add", {1}}, {"link", {2}}},
                                        {{"add", {5}}, {"link", {3}}},
                                        {{"add", {1}}, {"link", {4}}}});
    EXPECT_EQ(limit.seconds, Seconds{4});
    EXPECT_THAT(limit.probes, testing::ElementsAre(2, 5, 4));
}

TEST(Limit, RecordsTheMedianOfEachComponentAndWhichOneDecides) {
    const Limit limit = limit_of(Probes{{{"add", {1}}, {"link", {2}}},
                                        {{"add", {5}}, {"link", {3}}},
                                        {{"add", {1}}, {"link", {4}}}});
    ASSERT_EQ(limit.components.size(), 2U);
    EXPECT_EQ(limit.components[0].seconds, Seconds{1});
    EXPECT_EQ(limit.components[1].seconds, Seconds{3});
    EXPECT_EQ(limit.decided_by(), "link");
    EXPECT_EQ((Limit{{{"first", {1}}, {"second", {1}}}, {1}, {1}}).decided_by(), "first");
}

TEST(Limit, HasTheMedianOfWhatTheHardwareAllows) {
    const Limit limit =
        limit_of(Probes{{{"SGEMM", {3}, {1}}}, {{"SGEMM", {4}, {3}}}, {{"SGEMM", {5}, {2}}}});
    EXPECT_EQ(limit.components[0].seconds, Seconds{4});
    EXPECT_EQ(limit.components[0].hardware, Seconds{2});
    EXPECT_EQ(limit.seconds, Seconds{4}) << "it is no limit by itself";
}

TEST(Limit, SaysWhatAllRanksWouldAllowWhereOnlySomeTakePart) {
    LimitComponent alone{"SGEMM", {4}};
    alone.extend(2, 2);
    EXPECT_EQ(Limit({{alone}, {4}, {4}}).on_some_ranks(), nullptr);
    Probes probes{{{"reducers", {1}}, {"SGEMM", {4}}}, {{"reducers", {1}}, {"SGEMM", {8}}}};
    for (auto& probe : probes) {
        probe[1].extend(3, 4);
    }
    const Limit limit = limit_of(probes);
    ASSERT_EQ(limit.on_some_ranks(), &limit.components[1]);
    EXPECT_EQ(limit.components[1].ranks, 3);
    EXPECT_EQ(limit.components[1].all_ranks, Seconds{4.5});
    EXPECT_EQ(limit.seconds, Seconds{6}) << "it is no limit by itself";
}

TEST(Limit, IsNamedByItsComponents) {
    const auto what = [](const std::vector<std::string>& names) {
        Limit limit;
        for (const std::string& name : names) {
            limit.components.push_back({name, {1}});
        }
        return limit.what();
    };
    EXPECT_EQ(what({"SGEMM"}), "SGEMM");
    EXPECT_EQ(what({"SGEMM", "reducers"}), "slower of SGEMM and reducers");
    EXPECT_EQ(what({"SGEMM", "reducers", "storage"}), "slowest of SGEMM, reducers and storage");
}

TEST(Limit, NeedsTheSameComponentsInEachProbe) {
    EXPECT_THROW(limit_of({}), Failure);
    EXPECT_THROW(limit_of(Probes{{}}), Failure);
    EXPECT_THROW(limit_of(Probes{{{"add", {1}}}, {{"link", {1}}}}), Failure);
    EXPECT_THROW(limit_of(Probes{{{"add", {1}}}, {{"add", {1}}, {"link", {1}}}}), Failure);
}

}  // namespace
}  // namespace quartet::bench

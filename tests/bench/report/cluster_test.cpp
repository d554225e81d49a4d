#include "bench/report/cluster.hpp"

#include <gmock/gmock.h>

#include "bench/fake_session.hpp"

namespace quartet::bench {
namespace {

PlannedCase flow_over(const Session& session, int reducers) {
    PlannedCase flow;
    flow.roles = comm::Roles::with_reducers(session.world().size(), reducers);
    return flow;
}

TEST(RankRoles, EveryRankWorksWhereNoCaseSaysOtherwise) {
    Session session = fake_session({});
    const int ranks = session.world().size();
    for (int added = 0; added < 2; ++added) {
        EXPECT_EQ(role_of(session, ranks - 1), "worker");
        EXPECT_EQ(ranks_with(session, comm::Role::worker), ranks);
        EXPECT_EQ(ranks_with(session, comm::Role::reducer), 0);
        session.add({});
    }
}

TEST(RankRoles, AreThoseOfADataFlow) {
    Session session = fake_session({});
    const int ranks = session.world().size();
    if (ranks < 2) {
        return;
    }
    session.add(flow_over(session, 1));
    EXPECT_EQ(role_of(session, 0), "reducer");
    EXPECT_EQ(role_of(session, 1), "worker");
    EXPECT_EQ(ranks_with(session, comm::Role::worker), ranks - 1);
    EXPECT_EQ(ranks_with(session, comm::Role::reducer), 1);
}

TEST(RankRoles, AddUpOverCasesThatDiffer) {
    Session session = fake_session({});
    const int ranks = session.world().size();
    if (ranks < 2) {
        return;
    }
    session.add(flow_over(session, 1));
    session.add({});
    EXPECT_EQ(role_of(session, 0), "worker or reducer");
    EXPECT_EQ(ranks_with(session, comm::Role::worker), ranks);
    EXPECT_EQ(ranks_with(session, comm::Role::reducer), 1);
}

TEST(Clusters, AreTheDifferentDivisionsIntoRolesWithTheirFormulations) {
    Session session = fake_session({});
    const int ranks = session.world().size();
    EXPECT_TRUE(clusters(session).empty());
    session.add({});
    session.add({});
    if (ranks > 1) {
        PlannedCase flow = flow_over(session, 1);
        flow.name.variant.formulation = Formulation::dataflow;
        session.add(flow);
    }
    const auto found = clusters(session);
    ASSERT_EQ(found.size(), ranks > 1 ? 2U : 1U);
    EXPECT_EQ(found[0].roles.workers(), ranks);
    EXPECT_THAT(found[0].formulations, testing::ElementsAre(Formulation::native));
    if (ranks > 1) {
        EXPECT_EQ(found[1].roles.reducers(), 1);
        EXPECT_THAT(found[1].formulations, testing::ElementsAre(Formulation::dataflow));
    }
}

TEST(Clusters, ADescriptionHasRoleIndexRankAndHost) {
    Session session = fake_session({});
    const int ranks = session.world().size();
    if (ranks < 3) {
        return;
    }
    session.add(flow_over(session, 2));
    const std::string host = session.topology().of(0).host;
    const std::string text = describe_clusters(session);
    EXPECT_THAT(text, testing::HasSubstr("2 reducers, " + std::to_string(ranks - 2) + " worker"));
    EXPECT_THAT(text, testing::HasSubstr("reducer 1: rank 1 on " + host));
    EXPECT_THAT(text, testing::HasSubstr("worker  0: rank 2 on " + host));
}

TEST(Clusters, NoRankHasAGpuOnTheHost) {
    const Session session = fake_session({});
    EXPECT_THAT(gpus_of_ranks(session), testing::Each(testing::Eq(std::nullopt)));
}

}  // namespace
}  // namespace quartet::bench

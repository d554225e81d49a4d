#include "bench/program/rank_roles.hpp"

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

}  // namespace
}  // namespace quartet::bench

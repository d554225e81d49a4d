#include "comm/topology/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::comm {
namespace {

using testing::HasSubstr;
using testing::Throws;

TEST(Roles, WithoutReducersEveryRankIsAWorkerOfItsOwnNumber) {
    const auto roles = Roles::all_workers(3);
    EXPECT_EQ(roles.workers(), 3);
    EXPECT_EQ(roles.reducers(), 0);
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(roles.of(rank), Role::worker);
        EXPECT_EQ(roles.index_of(rank), rank);
        EXPECT_EQ(roles.worker_rank(rank), rank);
    }
}

TEST(Roles, TheFirstRanksReduce) {
    const auto roles = Roles::with_reducers(5, 2);
    EXPECT_EQ(roles.ranks(), 5);
    EXPECT_EQ(roles.workers(), 3);
    EXPECT_EQ(roles.of(1), Role::reducer);
    EXPECT_EQ(roles.of(2), Role::worker);
    EXPECT_EQ(roles.index_of(1), 1);
    EXPECT_EQ(roles.index_of(4), 2);
    EXPECT_EQ(roles.worker_rank(2), 4);
    EXPECT_EQ(roles.reducer_rank(1), 1);
    EXPECT_EQ(Roles::with_reducers(5, 2).worker_ranks(), (std::vector<int>{2, 3, 4}));
}

TEST(Roles, RefusesToLeaveNoWorkerAndNamesTheRanksNeeded) {
    EXPECT_THAT(message_of<UsageError>([] { Roles::with_reducers(2, 2); }),
                HasSubstr("at least 3 ranks"));
    EXPECT_THAT(
        message_of<UsageError>([] { Roles::with_reducers(1, std::numeric_limits<int>::max()); }),
        HasSubstr("at least 2147483648 ranks"));
    EXPECT_THAT(message_of<UsageError>([] { Roles::with_reducers(2, -1); }),
                HasSubstr("-1 reducers"));
}

}  // namespace
}  // namespace quartet::comm

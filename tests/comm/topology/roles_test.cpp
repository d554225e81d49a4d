#include "comm/topology/roles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::comm {
namespace {

using testing::HasSubstr;

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

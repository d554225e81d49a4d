#include "comm/mpi/agree.hpp"

#include <gtest/gtest.h>

#include "core/message_of.hpp"

namespace quartet::comm {
namespace {

class AgreeTest : public testing::Test {
  protected:
    void fail_on_last_rank() const {
        if (world.rank() == world.size() - 1) {
            throw Failure("the last rank failed");
        }
    }

    const Communicator world = Communicator::world();
};

TEST_F(AgreeTest, ThrowsOnAllRanksWhereOneFails) {
    EXPECT_EQ(message_of<Failure>([&] { agree(world, [&] { fail_on_last_rank(); }); }),
              "the last rank failed");
}

TEST_F(AgreeTest, ThrowsTheErrorThatTheCallerWants) {
    EXPECT_EQ(
        message_of<UsageError>([&] { agree<UsageError>(world, [&] { fail_on_last_rank(); }); }),
        "the last rank failed");
}

TEST_F(AgreeTest, ReturnsTheMessageOfTheLowestRank) {
    const auto problem = first_problem(
        world, [&] { throw UsageError("rank " + std::to_string(world.rank()) + " failed"); });
    EXPECT_EQ(problem, "rank 0 failed");
    EXPECT_EQ(first_problem(world, [] {}), std::nullopt);
}

}  // namespace
}  // namespace quartet::comm

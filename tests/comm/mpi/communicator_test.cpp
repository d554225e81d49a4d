#include "comm/mpi/communicator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {
namespace {

class CommunicatorTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

TEST_F(CommunicatorTest, ReturnsErrorsInsteadOfAborting) {
    const auto copy = world.duplicate();
    const auto node = world.split_by_node();
    for (const auto handle : {world.handle(), copy.handle(), node.handle()}) {
        const int no_such_rank = size + 7;
        EXPECT_THROW(check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, no_such_rank, 0, handle)), Failure);
    }
}

TEST_F(CommunicatorTest, ManyAreMadeAndFreedWithoutRunningOut) {
    for (int i = 0; i < 3000; ++i) {  // Open MPI's supply is larger, but not by much if all leak
        const auto copy = world.duplicate();
        EXPECT_NE(copy.handle(), MPI_COMM_NULL);
    }
}

// Empty from rank 0, then longer and longer, up to megabytes; zero bytes are text like others.
std::string text_of(int rank) {
    return std::string(rank == 0 ? 0 : std::size_t{1} << (7 * rank),
                       static_cast<char>('a' + rank)) +
           (rank == 0 ? "" : std::string("\0end", 4));
}

TEST_F(CommunicatorTest, GathersTextsOfAnyLength) {
    const auto texts = world.gather(text_of(rank));
    ASSERT_EQ(std::ssize(texts), size);
    for (int r = 0; r < size; ++r) {
        EXPECT_EQ(texts[static_cast<std::size_t>(r)], text_of(r));
    }
    for (const auto& text : world.gather(std::string())) {
        EXPECT_TRUE(text.empty());
    }
}

TEST_F(CommunicatorTest, ExtremesDoNotHideANan) {
    for (int r = 0; r < size; ++r) {
        const double value = rank == r ? std::numeric_limits<double>::quiet_NaN() : 1.0 * rank;
        EXPECT_TRUE(std::isnan(world.maximum(value)));
        EXPECT_TRUE(std::isnan(world.minimum(value)));
    }
}

TEST(Communicator, SumsSeveralValuesInRankOrderAtOnce) {
    const auto world = Communicator::world();
    const auto value = [](int rank, int column) {
        return std::ldexp(1.0 / (rank + 3), 13 * ((rank * 7 + column) % 5));
    };
    for (const int count : {3, 0, 5}) {
        std::vector<double> values;
        for (int column = 0; column < count; ++column) {
            values.push_back(value(world.rank(), column));
        }
        world.sum(std::span(values));
        for (int column = 0; column < count; ++column) {
            EXPECT_EQ(values[static_cast<std::size_t>(column)],
                      world.sum(value(world.rank(), column)));
        }
    }
}

}  // namespace
}  // namespace quartet::comm

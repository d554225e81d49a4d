#include "comm/mpi/communicator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "comm/mpi/mpi_session.hpp"
#include "system/signal_flag.hpp"

namespace quartet::comm {
namespace {

class CommunicatorTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const int last = size - 1;
};

TEST_F(CommunicatorTest, ReturnsErrorsInsteadOfAborting) {
    const auto copy = world.duplicate();
    const auto part = world.split(0);
    const auto node = world.split_by_node();
    for (const auto handle : {world.handle(), copy.handle(), part.handle(), node.handle()}) {
        const int no_such_rank = size + 7;
        EXPECT_THROW(check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, no_such_rank, 0, handle)), Failure);
    }
}

TEST_F(CommunicatorTest, SplitsByColourInRankOrder) {
    const auto parity = world.split(rank % 2);
    EXPECT_EQ(parity.rank(), rank / 2);
    EXPECT_EQ(parity.size(), rank % 2 == 0 ? (size + 1) / 2 : size / 2);
    EXPECT_DOUBLE_EQ(parity.maximum(rank % 2), rank % 2);
}

TEST_F(CommunicatorTest, ManyAreMadeAndFreedWithoutRunningOut) {
    for (int i = 0; i < 3000; ++i) {  // Open MPI's supply is larger, but not by much if all leak
        const auto copy = world.duplicate();
        EXPECT_NE(copy.handle(), MPI_COMM_NULL);
    }
}

TEST_F(CommunicatorTest, OneRanksAnswerDecidesAllAndAny) {
    for (int r = 0; r < size; ++r) {
        EXPECT_FALSE(world.all(rank != r));
        EXPECT_TRUE(world.any(rank == r));
    }
    EXPECT_TRUE(world.all(true));
    EXPECT_FALSE(world.any(false));
}

TEST_F(CommunicatorTest, GathersValuesByRank) {
    const auto values = world.gather(rank + 0.5);
    const auto rows = world.gather(std::vector<double>{1.0 * rank, 2.0 * rank});
    ASSERT_EQ(std::ssize(values), size);
    ASSERT_EQ(std::ssize(rows), 2 * size);
    for (int r = 0; r < size; ++r) {
        EXPECT_DOUBLE_EQ(values[static_cast<std::size_t>(r)], r + 0.5);
        EXPECT_DOUBLE_EQ(rows[static_cast<std::size_t>(2 * r) + 1], 2.0 * r);
    }
    EXPECT_TRUE(world.gather(std::vector<double>{}).empty());
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

TEST_F(CommunicatorTest, BroadcastsFromAnyRoot) {
    for (int root = 0; root < size; ++root) {
        EXPECT_DOUBLE_EQ(world.broadcast(rank + 0.25, root), root + 0.25);
        const std::string mine(static_cast<std::size_t>(rank) * 100000,
                               static_cast<char>('a' + rank));
        const std::string expected(static_cast<std::size_t>(root) * 100000,
                                   static_cast<char>('a' + root));
        EXPECT_EQ(world.broadcast(mine, root), expected);
    }
}

// Counts how often a communicator is freed: MPI then deletes its attributes.
class FreeCounter {
  public:
    FreeCounter() {
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_one, &key_, nullptr));
    }
    ~FreeCounter() { MPI_Comm_free_keyval(&key_); }
    FreeCounter(const FreeCounter&) = delete;
    FreeCounter& operator=(const FreeCounter&) = delete;

    void watch(const Communicator& communicator) {
        check_mpi(MPI_Comm_set_attr(communicator.handle(), key_, &count_));
    }
    [[nodiscard]] int count() const { return count_; }

  private:
    static int count_one(MPI_Comm, int, void* counter, void*) {
        ++*static_cast<int*>(counter);
        return MPI_SUCCESS;
    }

    int key_ = MPI_KEYVAL_INVALID;
    int count_ = 0;
};

TEST_F(CommunicatorTest, IsNotFreedWhileAnExceptionUnwinds) {
    // Freeing is collective: where one rank alone unwinds, it could wait for the others for ever.
    FreeCounter frees;
    try {
        const auto unwound = world.duplicate();
        frees.watch(unwound);
        throw std::runtime_error("unwinding");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(frees.count(), 0);
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

TEST(Communicator, AgreesOnASignalThatOneRankGot) {
    const auto world = Communicator::world();
    const system::SignalFlag flag;
    world.barrier();
    if (world.rank() == world.size() - 1) {
        std::raise(SIGUSR1);
    }
    EXPECT_EQ(flag.raised(), world.rank() == world.size() - 1);
    EXPECT_TRUE(world.any(flag.raised()));
}

}  // namespace
}  // namespace quartet::comm

#include <gtest/gtest.h>

#include <climits>

#include "comm/mpi/large_count.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {
namespace {

TEST(ByteType, SpansItsBytesWithoutGaps) {
    for (const std::int64_t largest : {1, 3, 7, 100, INT_MAX}) {
        for (const std::int64_t count : {0, 1, 6, 7, 8, 49, 100, 1000}) {
            const ByteType type(count, largest);
            MPI_Count size = -1;
            MPI_Count lower = -1;
            MPI_Count extent = -1;
            check_mpi(MPI_Type_size_x(type.handle(), &size));
            check_mpi(MPI_Type_get_extent_x(type.handle(), &lower, &extent));
            EXPECT_EQ(size, count);
            EXPECT_EQ(lower, 0);
            EXPECT_EQ(extent, count);
        }
    }
}

TEST(ByteType, SpansMoreBytesThanAnIntCounts) {
    for (const std::int64_t count : {std::int64_t{INT_MAX} + 1, (std::int64_t{1} << 31) + 5,
                                     (std::int64_t{1} << 33), (std::int64_t{1} << 40) + 123}) {
        const ByteType type(count);
        MPI_Count size = -1;
        check_mpi(MPI_Type_size_x(type.handle(), &size));
        EXPECT_EQ(size, count);
    }
}

TEST(ByteType, RefusesImpossibleCounts) {
    EXPECT_THROW(ByteType(-1), Failure);
    EXPECT_THROW(ByteType(1, 0), Failure);
    EXPECT_THROW(ByteType(std::int64_t{1} << 40, 1), Failure);
}

}  // namespace
}  // namespace quartet::comm

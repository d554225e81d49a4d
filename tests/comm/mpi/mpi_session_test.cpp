#include "comm/mpi/mpi_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/message_of.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// How sessions begin and end shows in whole programs: the helper throwing_rank and its script.

TEST(CheckMpi, SaysWhereAndWhatInTheLibrarysWords) {
    EXPECT_THAT(message_of<Failure>([] { check_mpi(MPI_ERR_TRUNCATE); }),
                AllOf(HasSubstr("mpi_session_test.cpp:"), HasSubstr("truncate")));
}

TEST(MpiSession, ErrorsAreReturnedByCallsWithoutACommunicatorToo) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    EXPECT_THROW(check_mpi(MPI_Type_contiguous(-1, MPI_BYTE, &type)), Failure);
    EXPECT_THROW(check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_SELF)), Failure);
    EXPECT_THROW(check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, -77, 0, MPI_COMM_WORLD)), Failure);
}

}  // namespace
}  // namespace quartet::comm

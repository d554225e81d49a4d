#include "comm/mpi/mpi_gpu_support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace quartet::comm {
namespace {

TEST(MpiGpuSupport, TheUserMaySayWhatTheLibraryDoesNotKnow) {
    ::unsetenv("QUARTET_MPI_GPU");
    if (!why_mpi_reaches_no_gpu()) {
        GTEST_SKIP() << "this MPI reaches GPUs and says so";
    }
    for (const auto& [value, believed] : {std::pair("1", true), {"0", false}, {"yes", false}}) {
        ::setenv("QUARTET_MPI_GPU", value, 1);
        EXPECT_EQ(!why_mpi_reaches_no_gpu(), believed) << value;
    }
    ::unsetenv("QUARTET_MPI_GPU");
}

}  // namespace
}  // namespace quartet::comm

#include "cg/problem/problem.hpp"

#include <gtest/gtest.h>

namespace quartet::cg {
namespace {

TEST(CgProblem, CountsThePapersOperationsAndOneReadOfTheMatrixAnIteration) {
    const Problem full{"laplace", 8192, 500, Storage::full, Algorithm::classic};
    const bench::Work work = full.work(4);
    EXPECT_EQ(work.unit, bench::RateUnit::gflops);
    EXPECT_EQ(work.flops.value, 500 * 2 * 8192.0 * 8192.0);
    EXPECT_EQ(work.bytes.value, std::int64_t{500} * 8 * 8192 * 8192);
    EXPECT_EQ(work.workers, 4);

    Problem half = full;
    half.storage = Storage::symmetric;
    EXPECT_EQ(half.work(4).flops.value, work.flops.value);
    EXPECT_EQ(2 * half.work(4).bytes, work.bytes);
}

TEST(CgProblem, CountsBeyond32Bits) {
    const Problem large{"laplace", 1 << 20, 500, Storage::full, Algorithm::classic};
    EXPECT_EQ(large.work(1).bytes.value, std::int64_t{500} << 43);
}

}  // namespace
}  // namespace quartet::cg

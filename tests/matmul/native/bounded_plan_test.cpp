#include "matmul/native/bounded_plan.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "matmul/tiles/tile_sink.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Bytes on_gpu(const Problem& problem, const Blocking& blocking) {
    return buffers_of(blocking, device_tile(problem));
}

// An H200: 50 TFLOP/s of SGEMM, 52 GB/s each way.
double seconds_of_products(const Problem& problem) {
    return problem.flops().value / 50e12;
}
double seconds_of_copies(Bytes bytes) {
    return static_cast<double>(bytes.value) / 52e9;
}

TEST(BoundedPlanTest, CopiesStayFarBelowTheProductsInEightGibibytes) {
    const Bytes memory = gibibytes(8);
    const Problem problem{65536, choose_tile(65536, 1, memory)};
    const std::int64_t edge = device_probe_edge(problem.size, memory);

    const LevelPlan plan =
        plan_device(problem, whole(problem), {memory, 3 * bytes_of<float>(edge * edge), {}});

    EXPECT_LT(seconds_of_copies(plan.traffic.read), 0.2 * seconds_of_products(problem));
    EXPECT_EQ(plan.traffic.written, problem.matrix_bytes());
    EXPECT_GE(plan.blocking.lookahead, 2 * std::min(plan.blocking.rows, plan.blocking.columns));
    EXPECT_LE(on_gpu(problem, plan.blocking) + 3 * bytes_of<float>(edge * edge), memory);
}

TEST(BoundedPlanTest, CopiesOnceWhatFits) {
    const Problem problem{8192, 1024};
    const LevelPlan plan = plan_device(problem, whole(problem), {gibibytes(100), {}, {}});
    EXPECT_EQ(plan.traffic.read, 2 * problem.matrix_bytes());
    EXPECT_LE(on_gpu(problem, plan.blocking), 4 * problem.matrix_bytes());
}

TEST(BoundedPlanTest, ChoosesTheLargestTileForMemoryAndMatrix) {
    EXPECT_EQ(choose_tile(1 << 20, 1, gibibytes(100)), 8192);
    EXPECT_EQ(choose_tile(65536, 1, gibibytes(8)), 8192);
    EXPECT_EQ(choose_tile(65536, 1, gibibytes(8) - Bytes{1}), 4096);
    EXPECT_EQ(choose_tile(65536, 16, gibibytes(100)), 4096) << "each rank has a block of 16384";
    EXPECT_EQ(choose_tile(8192, 1, gibibytes(100)), 2048);
    EXPECT_EQ(choose_tile(2048, 64, gibibytes(100)), 1024) << "smaller ones fill no GPU";
    EXPECT_EQ(choose_tile(100, 1, gibibytes(100)), 100);
    EXPECT_EQ(choose_tile(65536, 1, mebibytes(1)), 64);
}

TEST(BoundedPlanTest, LimitsTheProbeToAnEighthOfTheMemory) {
    for (const Bytes memory : {mebibytes(1), mebibytes(100), gibibytes(8), gibibytes(100)}) {
        const std::int64_t edge = device_probe_edge(65536, memory);
        EXPECT_LE(3 * bytes_of<float>(edge * edge).value, memory.value / 8);
    }
    EXPECT_EQ(device_probe_edge(65536, gibibytes(100)), 8192);
    EXPECT_EQ(device_probe_edge(1000, gibibytes(100)), 1000);
}

TEST(BoundedPlanTest, RefusesMemoryThatHoldsNoTileAndShowsTheArithmetic) {
    const Problem problem{65536, 8192};
    const auto message = message_of<UsageError>([&] {
        plan_device(problem, whole(problem), {mebibytes(700), mebibytes(32), {}});
    });
    EXPECT_THAT(message, AllOf(HasSubstr("800 MiB of GPU memory"), HasSubstr("700 MiB are allowed"),
                               HasSubstr("a tile is 256 MiB"), HasSubstr("take 32 MiB"),
                               HasSubstr("--device-memory"), HasSubstr("--tile")));
    EXPECT_NO_THROW(plan_device(problem, whole(problem), {mebibytes(800), mebibytes(32), {}}));
}

TEST(BoundedPlanTest, ReadsLessWithMoreHostMemory) {
    const Problem problem{4096, 256};
    const auto on_device = plan_device(problem, whole(problem), {mebibytes(10), {}, {}});
    Bytes before = on_device.traffic.read;
    for (const Bytes memory : {mebibytes(10), mebibytes(40), mebibytes(200)}) {
        const HostPlan plan =
            plan_staging(problem, whole(problem), 1, {memory, {}, {}}, on_device.blocking);
        EXPECT_LE(plan.traffic.read, before);
        EXPECT_LE(buffers_of(plan.blocking.slots, StagedSink::slots, host_tile(problem)), memory);
        EXPECT_EQ(plan.blocking.rows, on_device.blocking.rows);
        before = plan.traffic.read;
    }
    EXPECT_EQ(before, 2 * problem.matrix_bytes()) << "all of A and B stays";
}

TEST(BoundedPlanTest, RefusesTooLittleMemoryForStaging) {
    const Problem problem{4096, 256};
    const auto on_device = plan_device(problem, whole(problem), {mebibytes(10), {}, {}});
    EXPECT_THAT(
        message_of<UsageError>([&] {
            plan_staging(problem, whole(problem), 1, {kibibytes(600), {}, {}}, on_device.blocking);
        }),
        AllOf(HasSubstr("page-locked"), HasSubstr("600 KiB"), HasSubstr("--memory")));
}

}  // namespace
}  // namespace quartet::matmul

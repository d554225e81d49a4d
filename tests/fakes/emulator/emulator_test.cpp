#include <gmock/gmock.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "core/check.hpp"
#include "core/message_of.hpp"
#include "fakes/emulator/device_code.hpp"
#include "fakes/fake_cuda_runtime.hpp"

namespace quartet::emulator {
namespace {

using ::testing::HasSubstr;

constexpr unsigned whole_warp = 0xffffffff;

class EmulatorTest : public ::testing::TestWithParam<Order> {
  protected:
    template <typename Thread>
    static void run(unsigned blocks, unsigned threads, Thread thread) {
        run_grid({blocks, threads, 0}, GetParam(), thread);
    }
    template <typename Thread>
    static std::string refusal(unsigned threads, Thread thread) {
        return message_of<std::logic_error>([&] { run(1, threads, thread); });
    }
};

const auto orders = ::testing::Values(Order::ascending, Order::descending, Order::shuffled);
INSTANTIATE_TEST_SUITE_P(Orders, EmulatorTest, orders);

TEST_P(EmulatorTest, RefusesLanesThatDoNotCome) {
    EXPECT_THAT(refusal(32,
                        [] {
                            if (threadIdx.x < 16)
                                __shfl_down_sync(whole_warp, 1.0, 1);
                        }),
                HasSubstr("do not come"));
    EXPECT_THAT(refusal(40, [] { __shfl_down_sync(whole_warp, 1.0, 1); }), HasSubstr("do not come"))
        << "a block that ends within a warp";
    EXPECT_THAT(refusal(32, [] { __shfl_down_sync(0xffffU, 1.0, 1); }), HasSubstr("does not name"));
}

// Within a macro all places would be one.
TEST_P(EmulatorTest, RefusesExchangesAndBarriersAtDifferentPlaces) {
    // NOLINTBEGIN(bugprone-branch-clone): they differ in their place
    const auto exchange = [] {
        if (threadIdx.x % 2 == 0)
            __shfl_xor_sync(whole_warp, 1, 1);
        else
            __shfl_xor_sync(whole_warp, 1, 1);
    };
    const auto synchronize = [] {
        if (threadIdx.x < 32)
            __syncthreads();
        else
            __syncthreads();
    };
    // NOLINTEND(bugprone-branch-clone)

    EXPECT_THAT(refusal(32, exchange), HasSubstr("exchange at different places"));
    EXPECT_THAT(refusal(64, synchronize), HasSubstr("different barriers"));
}

using EmulatorDeathTest = EmulatorTest;
INSTANTIATE_TEST_SUITE_P(Orders, EmulatorDeathTest, orders);

// Its own check refuses that; AddressSanitizer ends the program.
TEST_P(EmulatorDeathTest, NoticesWritesBeyondSharedMemory) {
    const auto write_beyond = [] {
        const std::string reason = refusal(1, [] {
            auto& values = shared_memory<int[3]>();
            int* beyond = values + 3;
            *beyond = 1;
        });
        if (reason.find("wrote beyond") != std::string::npos)
            std::abort();
    };

    EXPECT_DEATH(write_beyond(), "");
}

TEST(EmulatedRaceTest, ShowsInOneOfTheOrders) {
    const auto sum_in = [](Order order) {
        std::vector<int> seen(64);
        run_grid({1, 64, 0}, order, [&] {
            auto& values = shared_memory<int[64]>();
            values[threadIdx.x] = 1;  // and no barrier
            seen[threadIdx.x] = values[63 - threadIdx.x];
        });
        return seen;
    };

    EXPECT_NE(sum_in(Order::ascending), sum_in(Order::descending));
}

TEST(EmulatedLaunchTest, RefusesWhatEveryGpuRefuses) {
    EXPECT_FALSE(why_no_launch({1, 1024, 48 << 10}));
    EXPECT_FALSE(why_no_launch({0x7fffffff, {16, 1, 64}, 0}));
    EXPECT_TRUE(why_no_launch({0, 32, 0}));
    EXPECT_TRUE(why_no_launch({0x80000000, 32, 0}));
    EXPECT_TRUE(why_no_launch({{1, 0x10000, 1}, 32, 0}));
    EXPECT_TRUE(why_no_launch({1, 0, 0}));
    EXPECT_TRUE(why_no_launch({1, 1025, 0}));
    EXPECT_TRUE(why_no_launch({1, {32, 33, 1}, 0}));
    EXPECT_TRUE(why_no_launch({1, {1, 1, 65}, 0}));
    EXPECT_TRUE(why_no_launch({1, 32, most_allowed_shared_bytes + 1}));
}

class KernelLaunchTest : public ::testing::Test {
  protected:
    void SetUp() override { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
    void TearDown() override {
        device::repair_gpu();
        cudaStreamDestroy(stream);
    }
    cudaStream_t stream = nullptr;
};

TEST_F(KernelLaunchTest, WhatAGpuRefusesIsTheLastError) {
    KernelLaunch{0, 32, 0, stream}([](auto...) {}, 1);

    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(KernelLaunchTest, AFaultInAKernelLosesTheGpu) {
    KernelLaunch{1, 32, 0, stream}([](auto...) { __shfl_down_sync(0U, 1.0, 1); }, 1);

    cudaStreamSynchronize(stream);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorLaunchFailure);
}

// What a real GPU refuses must not pass here.
TEST_F(KernelLaunchTest, MemoryIsNeitherTakenNorGivenWhileAThreadCaptures) {
    void* memory = nullptr;
    void* pinned = nullptr;
    void* other = nullptr;
    cudaMalloc(&memory, 64);
    cudaHostAlloc(&pinned, 64, cudaHostAllocPortable);
    const auto refuses = [&](const auto& call) {
        cudaGraph_t graph = nullptr;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        return call() == cudaErrorStreamCaptureUnsupported &&
               cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated;
    };

    EXPECT_TRUE(refuses([&] { return cudaMalloc(&other, 64); }));
    EXPECT_TRUE(refuses([&] { return cudaHostAlloc(&other, 64, cudaHostAllocPortable); }));
    EXPECT_TRUE(refuses([&] { return cudaFree(memory); }));
    EXPECT_TRUE(refuses([&] { return cudaFreeHost(pinned); }));
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

}  // namespace
}  // namespace quartet::emulator

#include "device/cuda/runtime/gated_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/info/why_no_cuda.hpp"

namespace quartet::device {
namespace {

class GatedTimeTest : public testing::Test {
  protected:
    void SetUp() override {
        if (const auto reason = why_no_cuda())
            GTEST_SKIP() << *reason;
        memory = CudaMemory::make(1);
        stream.emplace(track, *memory);
    }

    std::shared_ptr<CudaMemory> memory;
    Track track{"stream", 0};
    std::optional<CudaStream> stream;
};

TEST_F(GatedTimeTest, DoesNotMeasureHowLongEnqueueingTakes) {
    const auto slow_to_enqueue = [] {
        const Seconds end = now() + Seconds{0.02};
        while (now() < end) {
        }
    };

    EXPECT_LT(gated_time(4, slow_to_enqueue, *stream).value, 0.02);
}

// As a debugger, a sanitizer and CUDA_LAUNCH_BLOCKING have it.
TEST_F(GatedTimeTest, EndsWhereLaunchesWaitForTheGpu) {
    int calls = 0;
    const auto blocking = [&] {
        ++calls;
        stream->synchronize();
    };

    EXPECT_GE(gated_time(2, blocking, *stream).value, 0);
    EXPECT_EQ(calls, 3);
}

// Of phases that take an entry of the ring each. With more of them than it holds, the caller waits
// for the gate, which waits for the caller, until its patience of a quarter of a second ends.
TEST_F(GatedTimeTest, HoldsNoMoreThanTheStreamHasRoomFor) {
    const auto many = [&] {
        for (int i = 0; i < 40; ++i)
            stream->launch(i % 2 == 0 ? Phase::compute : Phase::merge, "many", [](cudaStream_t) {});
    };
    Seconds least{1};

    for (int attempt = 0; attempt < 5; ++attempt) {
        const Seconds begin = now();
        static_cast<void>(gated_time(8, many, *stream));
        least = std::min(least, now() - begin);
    }

    EXPECT_LT(least.value, 0.2);
}

TEST_F(GatedTimeTest, TimesMoreCallsThanAreHeldAtOnce) {
    int calls = 0;
    static_cast<void>(gated_time(
        100, [&] { ++calls; }, *stream));

    EXPECT_EQ(calls, 101);
}

}  // namespace
}  // namespace quartet::device

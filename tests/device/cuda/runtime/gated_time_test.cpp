#include "device/cuda/runtime/cuda_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "device/cuda/cuda_device.hpp"

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

}  // namespace
}  // namespace quartet::device

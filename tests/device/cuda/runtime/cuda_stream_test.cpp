#include "device/cuda/runtime/cuda_stream.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "fakes/fake_cuda_runtime.hpp"

namespace quartet::device {
namespace {

using ::testing::HasSubstr;

/// A stream whose GPU fails: the fake's only.
class BrokenGpuTest : public ::testing::Test {
  protected:
    void TearDown() override { repair_gpu(); }

    std::shared_ptr<CudaMemory> memory = CudaMemory::make(1);
    Track track{"stream", 0};
    CudaStream stream{track, *memory};
};

TEST_F(BrokenGpuTest, SynchronizeSaysThatTheGpuIsLost) {
    break_gpu();

    EXPECT_THAT(message_of<Failure>([&] { stream.synchronize(); }),
                HasSubstr("cudaStreamSynchronize failed (cudaErrorIllegalAddress"));
    EXPECT_THAT(message_of<Failure>([&] { stream.synchronize(); }),
                HasSubstr("the GPU is lost to this process"));
}

TEST_F(BrokenGpuTest, AFullRingDoesNotHang) {
    break_gpu();
    const auto enqueue_many = [&] {
        for (int i = 0; i < 1000; ++i)
            stream.enqueue(Phase::compute, "host", [] {});
    };

    EXPECT_THROW(enqueue_many(), Failure);
}

}  // namespace
}  // namespace quartet::device

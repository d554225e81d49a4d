#include "device/cuda/runtime/cuda_stream.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "device/cuda/fft/cuda_ffts.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

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

TEST(CudaSingleRankFftTest, GivesTheSameBitsInPieces) {
    using Point = std::complex<double>;
    const FourStepFft split{12, 10, 1, 0};
    const auto memory = CudaMemory::make(1);
    const FourStepFftTools tools{load_cufft(), *memory};
    Track track("stream", 0);
    CudaStream stream(track, *memory);
    const auto buffer = [&](MemoryKind kind) {
        return Buffer<Point>(memory->allocate(bytes_of<Point>(120), kind), 120);
    };
    Buffer<Point> points = buffer(MemoryKind::pinned);
    for (std::size_t i = 0; i < 120; ++i)
        points.span()[i] = {static_cast<double>(i % 7), static_cast<double>(i % 5)};
    Buffer<Point> input = buffer(MemoryKind::device);
    memory->copy_now(as_bytes(std::as_const(points).view()), as_bytes(input.view()));
    const auto transformed = [&](Bytes most_workspace) {
        Buffer<Point> bins = buffer(MemoryKind::device);
        const auto pass = plan_cuda_single_rank_fft(split, tools, most_workspace);
        pass->run(std::as_const(input).view(), bins.view(), stream);
        stream.synchronize();
        memory->copy_now(as_bytes(std::as_const(bins).view()), as_bytes(points.view()));
        return std::vector<Point>(points.span().begin(), points.span().end());
    };

    const std::vector<Point> whole = transformed(gibibytes(1));
    for (const std::int64_t at_once : {1, 3, 5, 11}) {
        EXPECT_EQ(transformed(bytes_of<Point>(12 * at_once)), whole) << at_once;
    }
}

}  // namespace
}  // namespace quartet::device

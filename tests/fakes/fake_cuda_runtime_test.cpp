#include "fakes/fake_cuda_runtime.hpp"

#include <gtest/gtest.h>

#include <array>

#include "device/cuda/blas/cublas_handle.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "fakes/fake_gpu_node.hpp"

namespace quartet::device {
namespace {

/// What the fake has in common with the real one, where a mistake would not show otherwise.
class FakeCudaRuntimeTest : public ::testing::Test {
  protected:
    FakeCudaRuntimeTest() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
    ~FakeCudaRuntimeTest() override {
        opened = true;
        cudaStreamDestroy(stream);
        repair_gpu();
    }

    /// Host work that keeps a stream busy until `opened`.
    void hold(cudaStream_t held) {
        const auto wait = [](void* open) {
            while (!*static_cast<std::atomic<bool>*>(open))
                std::this_thread::yield();
        };
        cudaLaunchHostFunc(held, wait, &opened);
    }
    /// Whether the call returned only after the held stream was let go.
    template <typename Call>
    bool waits(Call call) {
        opened = false;
        hold(stream);
        std::thread opener([this] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            opened = true;
        });
        call();
        const bool waited = opened;
        opener.join();
        cudaStreamSynchronize(stream);
        return waited;
    }
    static std::int64_t failed_calls() {
        return FakeGpuNode::of_process().get(0, GpuCount::failed_calls);
    }

    std::atomic<bool> opened = false;
    cudaStream_t stream = nullptr;
};

TEST_F(FakeCudaRuntimeTest, RefusesToTakeAndGiveMemoryWhileTheThreadCaptures) {
    void* memory = nullptr;
    void* pinned = nullptr;
    cudaMalloc(&memory, 64);
    cudaHostAlloc(&pinned, 64, cudaHostAllocPortable);
    std::array<std::byte, 64> pageable{};
    const auto refuses = [&](const auto& call) {
        cudaGraph_t graph = nullptr;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        const cudaError_t status = call();
        return status == cudaErrorStreamCaptureUnsupported &&
               cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated;
    };

    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, 900);
    void* other = nullptr;
    EXPECT_TRUE(refuses([&] { return cudaMalloc(&other, 64); }));
    EXPECT_TRUE(refuses([&] { return cudaHostAlloc(&other, 64, cudaHostAllocPortable); }));
    EXPECT_TRUE(refuses([&] { return cudaFree(memory); }));
    EXPECT_TRUE(refuses([&] { return cudaFreeHost(pinned); }));
    EXPECT_TRUE(refuses([&] { return cudaHostRegister(pageable.data(), 64, 0); }));
    EXPECT_TRUE(refuses([&] { return cudaHostUnregister(pageable.data()); }));
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(FakeCudaRuntimeTest, RefusesALibrarysFirstCallWhileTheThreadCaptures) {
    const auto memory = CudaMemory::make(1);
    const Allocation elements = memory->allocate({64}, MemoryKind::device);
    auto* numbers = reinterpret_cast<float*>(elements.data.get());
    const Allocation workspace = memory->allocate({64}, MemoryKind::device);
    const CublasHandle blas;
    const auto multiply = [&] {
        const float one = 1;
        const float zero = 0;
        return blas.library().sgemm(blas.on(stream, workspace), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1,
                                    &one, numbers, 1, numbers + 1, 1, &zero, numbers + 2, 1);
    };
    cudaGraph_t graph = nullptr;
    const auto capture = [&] {
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        multiply();
        return cudaStreamEndCapture(stream, &graph);
    };

    EXPECT_EQ(capture(), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(multiply(), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(capture(), cudaSuccess);
    cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace quartet::device

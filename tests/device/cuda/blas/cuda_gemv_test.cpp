#include "device/cuda/blas/cuda_gemv.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/info/why_no_cuda.hpp"
#include "device/cuda/runtime/cuda_recording.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"

namespace quartet::device {
namespace {

constexpr std::int64_t rows = 5;
constexpr std::int64_t columns = 7;
constexpr std::int64_t stride = 16;

class CudaGemvTest : public testing::Test {
  protected:
    /// A[i][k] = i + 10 k, x[k] = k + 1; the padding holds what must not be read.
    void SetUp() override {
        if (const auto reason = why_no_cuda())
            GTEST_SKIP() << *reason;
        memory = CudaMemory::make(1);
        a = buffer(rows * stride);
        x = buffer(columns);
        std::vector<double> elements(rows * stride, -1e9);
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < columns; ++k)
                elements[static_cast<std::size_t>(i * stride + k)] =
                    static_cast<double>(i + 10 * k);
        upload(elements, a.view());
        upload({1, 2, 3, 4, 5, 6, 7}, x.view());
    }

    [[nodiscard]] Buffer<double> buffer(std::int64_t size) const {
        return {memory->allocate(bytes_of<double>(size), MemoryKind::device), size};
    }
    void upload(const std::vector<double>& from, const View<double>& to) const {
        memory->copy_now(
            as_bytes(View<const double>(from.data(), std::ssize(from), MemoryKind::host)),
            as_bytes(to));
    }
    [[nodiscard]] std::vector<double> download(const View<double>& from) const {
        std::vector<double> to(static_cast<std::size_t>(from.size()));
        memory->copy_now(as_bytes(View<const double>(from)),
                         as_bytes(View<double>(to.data(), from.size(), MemoryKind::host)));
        return to;
    }
    [[nodiscard]] RowMajorMatrix matrix() const { return {a.view().data(), rows, columns, stride}; }

    std::shared_ptr<CudaMemory> memory;
    Buffer<double> a;
    Buffer<double> x;
};

TEST_F(CudaGemvTest, MultipliesRowsByKernelAndByLibrary) {
    Track track("stream", 0);
    CudaStream stream(track, *memory);
    for (const GemvBy by : {GemvBy::kernel, GemvBy::cublas}) {
        Buffer<double> y = buffer(rows);
        const CudaGemv gemv(matrix(), by, *memory);
        EXPECT_EQ(gemv.by(), by);

        stream.launch(Phase::compute, "gemv", [&](cudaStream_t handle) {
            gemv.launch(x.view().data(), y.view().data(), handle);
        });
        stream.synchronize();

        EXPECT_EQ(download(y.view()), (std::vector<double>{1120, 1148, 1176, 1204, 1232}));
    }
}

TEST_F(CudaGemvTest, ChoosesWithoutTouchingTheMatrix) {
    EXPECT_NO_THROW(faster_gemv(matrix(), *memory));

    EXPECT_EQ(download(a.view())[stride + 6], 61);
    EXPECT_EQ(download(a.view())[stride + 7], -1e9);
}

TEST_F(CudaGemvTest, CanBeRecordedWhoeverIsChosen) {
    Track track("stream", 0);
    CudaStream stream(track, *memory);
    for (const double worthwhile : {0.0, 1e9}) {
        Buffer<double> y = buffer(rows);
        const CudaGemv gemv = faster_gemv(matrix(), *memory, worthwhile);
        EXPECT_EQ(gemv.by(), worthwhile == 0 ? GemvBy::kernel : GemvBy::cublas);

        const auto recording = cuda_recording(
            [&](Stream& to) {
                as_cuda(to).launch(Phase::compute, "gemv", [&](cudaStream_t handle) {
                    gemv.launch(x.view().data(), y.view().data(), handle);
                });
            },
            *memory);
        recording(stream);
        stream.synchronize();

        EXPECT_EQ(download(y.view()), (std::vector<double>{1120, 1148, 1176, 1204, 1232}));
    }
}

TEST_F(CudaGemvTest, EmptyProductsUseOurKernel) {
    EXPECT_EQ(faster_gemv({a.view().data(), 0, columns, stride}, *memory).by(), GemvBy::kernel);
    EXPECT_EQ(faster_gemv({a.view().data(), rows, 0, stride}, *memory).by(), GemvBy::kernel);
}

}  // namespace
}  // namespace quartet::device

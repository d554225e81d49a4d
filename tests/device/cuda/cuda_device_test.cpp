#include "device/cuda/cuda_device.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "core/message_of.hpp"
#include "device/accelerator.hpp"
#include "device/blas.hpp"
#include "device/contract/contract.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {
namespace {

using ::testing::HasSubstr;

/// What a CUDA device does beside the contract of all devices.
class CudaDeviceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const auto reason = why_no_cuda())
            GTEST_SKIP() << *reason;
        device = make_cuda_device({}, trace);
    }

    Trace trace{1024};
    std::unique_ptr<Device> device;
};

TEST_F(CudaDeviceTest, RefusesViewsOfHostMemory) {
    const auto stream = device->make_stream("stream");
    std::array<float, 4> floats{};
    std::array<double, 4> doubles{};
    const View<float> single(floats.data(), 4, MemoryKind::host);
    const View<double> wide(doubles.data(), 4, MemoryKind::pinned);
    VectorOperations& vectors = device->vectors();

    EXPECT_THROW(vectors.add(single, single, *stream), Failure);
    EXPECT_THROW(vectors.fill(1.0, wide, *stream), Failure);
    EXPECT_THROW(vectors.dot(wide, wide, wide.part(0, 1), *stream), Failure);
    EXPECT_THROW(device->blas().gemv(1, 4, wide, wide, wide.part(0, 1), *stream), Failure);
}

TEST_F(CudaDeviceTest, RefusesToRecordProductsByTheLibrary) {
    const auto stream = device->make_stream("stream");
    const Buffer<float> a = allocate<float>(*device, 4);
    const Buffer<float> b = allocate<float>(*device, 4);
    Buffer<float> c = allocate<float>(*device, 4);
    const auto product = [&](Stream& to) {
        device->blas().gemm({2, 2, 2}, a.view(), b.view(), c.view(), Update::replace, to);
    };

    EXPECT_THAT(message_of<Failure>([&] { device->record(product); }),
                HasSubstr("a product by cuBLAS cannot be recorded"));
    product(*stream);
    EXPECT_NO_THROW(stream->synchronize());
}

TEST_F(CudaDeviceTest, LargeMemoryOfKindPinnedIsLocked) {
    const Allocation large = device->allocate(mebibytes(9), MemoryKind::pinned);

    EXPECT_EQ(std::count(large.data.get(), large.data.get() + large.size.value, std::byte{0}),
              large.size.value);
    EXPECT_THROW(device->accelerator()->lock_pages({large.data.get(), 64, MemoryKind::host}),
                 Failure)
        << "locked already";
}

}  // namespace
}  // namespace quartet::device

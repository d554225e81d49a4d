#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/runtime/cuda_check.hpp"

namespace quartet::device {

/// An allocation of its own in the GPU's memory, as large as what it holds: what a kernel reads or
/// writes beyond it lies beyond the GPU's memory as well.
template <typename T>
class GpuArray {
  public:
    explicit GpuArray(const std::vector<T>& values) : size_(values.size()) {
        cuda_check(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)), "cudaMalloc");
        copy(data_, values.data(), cudaMemcpyHostToDevice);
    }
    GpuArray(std::int64_t size, T value)
        : GpuArray(std::vector<T>(static_cast<std::size_t>(size), value)) {}
    ~GpuArray() { ignore(cudaFree(data_)); }
    GpuArray(const GpuArray&) = delete;
    GpuArray& operator=(const GpuArray&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::vector<T> values() const {
        std::vector<T> values(size_);
        copy(values.data(), data_, cudaMemcpyDeviceToHost);
        return values;
    }

  private:
    void copy(void* to, const void* from, cudaMemcpyKind kind) const {
        if (size_ == 0)
            return;
        cudaStream_t stream = nullptr;
        cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        cuda_check(cudaMemcpyAsync(to, from, size_ * sizeof(T), kind, stream), "a copy");
        cuda_check(cudaStreamSynchronize(stream), "a copy");
        cuda_check(cudaStreamDestroy(stream), "a stream");
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Launches of kernels on pointers, with plain loops beside them.
class KernelTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const auto reason = why_no_cuda())
            GTEST_SKIP() << *reason;
        cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    }
    void TearDown() override {
        if (stream != nullptr)
            cuda_check(cudaStreamDestroy(stream), "a stream");
    }
    /// Until what was launched has run.
    void finish() const {
        cuda_check(cudaGetLastError(), "a launch");
        cuda_check(cudaStreamSynchronize(stream), "a kernel");
    }

    cudaStream_t stream = nullptr;
};

/// Numbers between -1 and 1 that do not repeat.
inline double number(std::int64_t i) {
    return std::sin(0.7 * static_cast<double>(i) + 0.3);
}
inline std::vector<double> numbers(std::int64_t count, std::int64_t from = 0) {
    std::vector<double> made(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        made[static_cast<std::size_t>(i)] = number(from + i);
    return made;
}

/// What no kernel may leave.
inline constexpr double unwritten = -1e99;

inline std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

/// To the rounding of `terms` additions of numbers below 1.
inline void expect_sum(double is, long double wanted, std::int64_t terms) {
    EXPECT_NEAR(is, static_cast<double>(wanted), 1e-15 * static_cast<double>(terms + 4));
}

}  // namespace quartet::device

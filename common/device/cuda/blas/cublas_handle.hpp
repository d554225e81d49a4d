#pragma once

#include <memory>

#include "device/cuda/blas/cublas_library.hpp"
#include "device/memory.hpp"

namespace quartet::device {

/// A handle of cuBLAS's on the calling thread's current GPU, for float32 and float64 as such.
class CublasHandle {
  public:
    /// Throws Unavailable if the library cannot be had.
    CublasHandle();
    ~CublasHandle();
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;

    [[nodiscard]] const CublasLibrary& library() const { return *library_; }
    /// Ready for a call on a stream: with a workspace given by hand, cuBLAS neither allocates nor
    /// synchronises, and can be captured. Calls that use one workspace follow one another.
    [[nodiscard]] cublasHandle_t on(cudaStream_t stream, const Allocation& workspace) const;
    /// Throws Failure that names the call, unless the status means success.
    void check_status(cublasStatus_t status, const char* call) const;

  private:
    std::shared_ptr<const CublasLibrary> library_ = load_cublas();
    cublasHandle_t handle_ = nullptr;
};

}  // namespace quartet::device

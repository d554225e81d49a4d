#pragma once

#include <memory>

#include "device/blas.hpp"
#include "device/cuda/blas/cublas_library.hpp"
#include "device/memory.hpp"

namespace quartet::device {

/// A handle of cuBLAS's on the calling thread's current GPU, for float32 as such, or as use() says,
/// and float64.
class CublasHandle {
  public:
    /// Throws Unavailable if the library cannot be had.
    CublasHandle();
    /// The arithmetic of later products of float32 matrices. Throws Unavailable where this GPU or
    /// this version of the library lacks it.
    void use(Math math);
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

#pragma once

#include <cublas_v2.h>
#include <memory>

#include "device/blas.hpp"
#include "device/memory.hpp"

namespace quartet::device {

/// The functions of cuBLAS that we use. They are loaded at run time: the library is large, and the
/// programs must run without it.
struct CublasLibrary {
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasDestroy_v2) destroy = nullptr;
    decltype(&cublasGetProperty) get_property = nullptr;
    decltype(&cublasGetStatusString) status_string = nullptr;
    decltype(&cublasSetStream_v2) set_stream = nullptr;
    decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
    decltype(&cublasSetMathMode) set_math_mode = nullptr;
    /// Takes a cublasEmulationStrategy_t, which CUDA 12.9 brought. Null in earlier libraries.
    cublasStatus_t (*set_emulation_strategy)(cublasHandle_t, int) = nullptr;
    decltype(&cublasSgemm_v2_64) sgemm = nullptr;
};

/// Loads the library. Throws Unavailable if that fails.
std::shared_ptr<const CublasLibrary> load_cublas();

/// A cuBLAS handle on the calling thread's current GPU, for products of float32 matrices, in
/// float32 or in the arithmetic that use() sets.
class CublasHandle {
  public:
    /// Throws Unavailable if the library cannot be loaded.
    CublasHandle();
    /// Sets the arithmetic of later products. Throws Unavailable if this GPU or this version of the
    /// library lacks it.
    void use(Math math);
    ~CublasHandle();
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;

    [[nodiscard]] const CublasLibrary& library() const { return *library_; }
    /// The handle, ready for a call on `stream`: with a workspace of ours, cuBLAS neither allocates
    /// nor synchronises. Calls with the same workspace must not overlap.
    [[nodiscard]] cublasHandle_t on(cudaStream_t stream, const Allocation& workspace) const;
    /// Throws Failure that names the call, unless the status means success.
    void check_status(cublasStatus_t status, const char* call) const;

  private:
    std::shared_ptr<const CublasLibrary> library_ = load_cublas();
    cublasHandle_t handle_ = nullptr;
};

}  // namespace quartet::device

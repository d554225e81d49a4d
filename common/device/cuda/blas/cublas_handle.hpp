#pragma once

#include <cublas_v2.h>
#include <memory>

#include "device/blas.hpp"
#include "device/memory.hpp"

namespace quartet::device {

/// The functions of cuBLAS that are used. Loaded rather than linked: the library is large, and
/// programs have to run where it is not.
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

/// Loads the library. Throws Unavailable if it cannot be had.
std::shared_ptr<const CublasLibrary> load_cublas();

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

#pragma once

#include <cublas_v2.h>
#include <memory>

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

}  // namespace quartet::device

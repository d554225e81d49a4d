#include "device/cuda/blas/cublas_library.hpp"

#include <string>

#include "device/cuda/runtime/toolkit_library.hpp"

namespace quartet::device {

namespace {

struct Loaded {
    SharedLibrary library = load_toolkit_library("cublas", CUBLAS_VER_MAJOR);
    CublasLibrary functions{
        .create = library.function<decltype(cublasCreate_v2)>("cublasCreate_v2"),
        .destroy = library.function<decltype(cublasDestroy_v2)>("cublasDestroy_v2"),
        .get_property = library.function<decltype(cublasGetProperty)>("cublasGetProperty"),
        .status_string = library.function<decltype(cublasGetStatusString)>("cublasGetStatusString"),
        .set_stream = library.function<decltype(cublasSetStream_v2)>("cublasSetStream_v2"),
        .set_workspace = library.function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2"),
        .set_math_mode = library.function<decltype(cublasSetMathMode)>("cublasSetMathMode"),
        .sgemm = library.function<decltype(cublasSgemm_v2_64)>("cublasSgemm_v2_64"),
        .dgemv = library.function<decltype(cublasDgemv_v2_64)>("cublasDgemv_v2_64"),
    };
};

}  // namespace

std::shared_ptr<const CublasLibrary> load_cublas() {
    const auto loaded = std::make_shared<const Loaded>();
    return {loaded, &loaded->functions};
}

}  // namespace quartet::device

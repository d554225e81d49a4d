#include "device/cuda/blas/cublas_library.hpp"

#include "device/cuda/runtime/toolkit_library.hpp"

namespace quartet::device {

std::shared_ptr<const CublasLibrary> load_cublas() {
    using Cublas = CublasLibrary;
    return load_library(toolkit_library("cublas", CUBLAS_VER_MAJOR),
                        LibraryFunction{&Cublas::create, "cublasCreate_v2"},
                        LibraryFunction{&Cublas::destroy, "cublasDestroy_v2"},
                        LibraryFunction{&Cublas::get_property, "cublasGetProperty"},
                        LibraryFunction{&Cublas::status_string, "cublasGetStatusString"},
                        LibraryFunction{&Cublas::set_stream, "cublasSetStream_v2"},
                        LibraryFunction{&Cublas::set_workspace, "cublasSetWorkspace_v2"},
                        LibraryFunction{&Cublas::set_math_mode, "cublasSetMathMode"},
                        LibraryFunction{&Cublas::set_emulation_strategy,
                                        "cublasSetEmulationStrategy", Presence::optional},
                        LibraryFunction{&Cublas::sgemm, "cublasSgemm_v2_64"});
}

}  // namespace quartet::device

#include "device/cuda/blas/cublas_handle.hpp"

#include <fmt/format.h>

namespace quartet::device {

CublasHandle::CublasHandle() {
    check_status(library_->create(&handle_), "cublasCreate");
    check_status(library_->set_math_mode(handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
}

CublasHandle::~CublasHandle() {
    static_cast<void>(library_->destroy(handle_));
}

// Setting the stream takes the workspace away again, so both are set each time.
cublasHandle_t CublasHandle::on(cudaStream_t stream, const Allocation& workspace) const {
    check_status(library_->set_stream(handle_, stream), "cublasSetStream");
    check_status(library_->set_workspace(handle_, workspace.data.get(),
                                         static_cast<std::size_t>(workspace.size.value)),
                 "cublasSetWorkspace");
    return handle_;
}

void CublasHandle::check_status(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
        throw Failure(fmt::format("{} failed ({})", call, library_->status_string(status)));
}

}  // namespace quartet::device

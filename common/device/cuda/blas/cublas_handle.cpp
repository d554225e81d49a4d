#include "device/cuda/blas/cublas_handle.hpp"

#include <fmt/format.h>

#include "device/cuda/runtime/cuda_check.hpp"

namespace quartet::device {

namespace {

// Values of CUDA 12.9: earlier headers lack them.
constexpr auto emulated_mode = static_cast<cublasMath_t>(4);  // CUBLAS_FP32_EMULATED_BF16X9_MATH
constexpr int emulation_wherever_possible = 2;                // CUBLAS_EMULATION_STRATEGY_EAGER

cublasMath_t mode_of(Math math) {
    return math == Math::tf32     ? CUBLAS_TF32_TENSOR_OP_MATH
           : math == Math::bf16x9 ? emulated_mode
                                  : CUBLAS_DEFAULT_MATH;
}

// Tensor cores have TF32 since Ampere; cuBLAS emulates float32 since Blackwell, and silently
// computes in float32 on other GPUs.
int least_capability(Math math) {
    return math == Math::tf32 ? 8 : math == Math::bf16x9 ? 10 : 0;
}

void require_capable(Math math) {
    const int least = least_capability(math);
    const int major = gpu_attribute(cudaDevAttrComputeCapabilityMajor);
    if (major < least)
        throw Unavailable(fmt::format(
            "--math {}: not available on this GPU (its compute capability is {}.x, cuBLAS needs "
            "{}.0 or later for that): leave it out",
            name(math), major, least));
}

}  // namespace

CublasHandle::CublasHandle() {
    check_status(library_->create(&handle_), "cublasCreate");
    check_status(library_->set_math_mode(handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
}

void CublasHandle::use(Math math) {
    if (math != Math::fp32)
        require_capable(math);
    cublasStatus_t status = library_->set_math_mode(handle_, mode_of(math));
    // Otherwise cuBLAS emulates only the products that it expects to be faster by emulation.
    if (math == Math::bf16x9 && status == CUBLAS_STATUS_SUCCESS)
        status = library_->set_emulation_strategy == nullptr
                     ? CUBLAS_STATUS_NOT_SUPPORTED
                     : library_->set_emulation_strategy(handle_, emulation_wherever_possible);
    if (math != Math::fp32 &&
        (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE))
        throw Unavailable(fmt::format(
            "--math {}: not available in this cuBLAS ({}): leave it out, or use a newer CUDA",
            name(math), library_->status_string(status)));
    check_status(status, "the choice of cuBLAS's arithmetic");
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

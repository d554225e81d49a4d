#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "core/environment.hpp"
#include "device/cuda/blas/cublas_library.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

using namespace quartet::device;

struct cublasContext {
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;
    bool used = false;
    unsigned bits = 24;  ///< of each number that is multiplied
};

namespace {

cublasStatus_t create_blas(cublasHandle_t* handle) {
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy_blas(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_property(libraryPropertyType, int* value) {
    *value = 1;
    return CUBLAS_STATUS_SUCCESS;
}

const char* status_string(cublasStatus_t) {
    return "the fake's reason";
}

cublasStatus_t set_stream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    handle->workspace = nullptr;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_workspace(cublasHandle_t handle, void* workspace, std::size_t) {
    handle->workspace = workspace;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_math_mode(cublasHandle_t handle, cublasMath_t mode) {
    if (mode != CUBLAS_DEFAULT_MATH && mode != CUBLAS_TF32_TENSOR_OP_MATH)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    handle->bits = mode == CUBLAS_DEFAULT_MATH ? 24 : 11;
    return CUBLAS_STATUS_SUCCESS;
}

/// QUARTET_STAND_IN_BITS: the bits of each number that is multiplied, whatever was asked for.
unsigned bits_of(const cublasContext& handle) {
    const auto forced = quartet::Environment().get("QUARTET_STAND_IN_BITS");
    return forced ? static_cast<unsigned>(std::stoul(*forced)) : handle.bits;
}

/// The number rounded to so many bits, halves away from 0.
float rounded(float value, unsigned bits) {
    if (bits == 24)
        return value;
    const unsigned unit = 1U << (24 - bits);
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + unit / 2) & ~(unit - 1));
}

/// By columns, as BLAS has it.
cublasStatus_t sgemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                     std::int64_t rows, std::int64_t columns, std::int64_t inner,
                     const float* alpha, const float* a, std::int64_t a_step, const float* b,
                     std::int64_t b_step, const float* beta, float* c, std::int64_t c_step) {
    if (of_a != CUBLAS_OP_N || of_b != CUBLAS_OP_N || *alpha != 1 || a_step < rows ||
        b_step < inner || c_step < rows || handle->workspace == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (refuses_first_use(handle->used))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    a = on_cpu(a);
    b = on_cpu(b);
    c = on_cpu(c);
    count_kernel(handle->stream);
    fakes(handle->stream)
        .enqueue(quartet::Phase::compute, "sgemm", [=, kept = *beta, bits = bits_of(*handle)] {
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t column = 0; column < columns; ++column) {
                    float sum = 0;
                    for (std::int64_t k = 0; k < inner; ++k)
                        sum += rounded(a[row + k * a_step], bits) *
                               rounded(b[k + column * b_step], bits);
                    float& target = c[row + column * c_step];
                    target = kept == 0 ? sum : kept * target + sum;
                }
        });
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

namespace quartet::device {

std::shared_ptr<const CublasLibrary> load_cublas() {
    return std::make_shared<const CublasLibrary>(CublasLibrary{.create = create_blas,
                                                               .destroy = destroy_blas,
                                                               .get_property = get_property,
                                                               .status_string = status_string,
                                                               .set_stream = set_stream,
                                                               .set_workspace = set_workspace,
                                                               .set_math_mode = set_math_mode,
                                                               .sgemm = sgemm});
}

}  // namespace quartet::device

#include "device/blas.hpp"

#include <fmt/format.h>

#include <map>

#include "core/environment.hpp"
#include "device/cuda/blas/cublas_library.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

namespace {

// Workspace of products on each stream: cuBLAS recommends this for Hopper; 4 MiB would do for older
// GPUs.
constexpr Bytes product_workspace = mebibytes(32);

/// Environment variables by which users have products computed in another precision.
constexpr const char* overrides[] = {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION",
                                     "CUBLAS_EMULATION_STRATEGY"};

std::string overrides_in_force() {
    Environment environment;
    std::string text;
    for (const char* name : overrides)
        if (const auto value = environment.get(name))
            text += fmt::format("; {}={}", name, *value);
    return text;
}

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

class CudaBlas final : public Blas {
  public:
    explicit CudaBlas(CudaMemory& memory) : memory_(memory) {
        check_status(library_->create(&handle_), "cublasCreate");
        check_status(library_->set_math_mode(handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    }
    ~CudaBlas() override { static_cast<void>(library_->destroy(handle_)); }
    CudaBlas(const CudaBlas&) = delete;
    CudaBlas& operator=(const CudaBlas&) = delete;

    void use(Math math) override;
    void gemm(const GemmShape& shape, View<const float> a, View<const float> b, View<float> c,
              Update update, Stream& stream) override;
    void gemv(std::int64_t rows, std::int64_t columns, View<const double> a, View<const double> x,
              View<double> y, Stream& stream) override;
    [[nodiscard]] Bytes workspace() const override { return product_workspace; }
    [[nodiscard]] std::string description() const override;

  private:
    [[nodiscard]] int version_part(libraryPropertyType part) const;
    [[nodiscard]] const Allocation& workspace_of(cudaStream_t stream);
    void multiply(const GemmShape& shape, const float* a, const float* b, float* c, Update update,
                  cudaStream_t stream);

    /// The handle, ready for a call on `stream`: with a workspace of ours, cuBLAS neither allocates
    /// nor synchronises. Calls with the same workspace must not overlap.
    [[nodiscard]] cublasHandle_t handle_on(cudaStream_t stream, const Allocation& workspace) const;
    /// Throws Failure that names the call, unless the status means success.
    void check_status(cublasStatus_t status, const char* call) const;

    CudaMemory& memory_;
    std::shared_ptr<const CublasLibrary> library_ = load_cublas();
    cublasHandle_t handle_ = nullptr;
    // Kept for destroyed streams, too: their work is done, and a new stream may have the same
    // handle.
    std::map<cudaStream_t, Allocation> workspaces_;
};

void CudaBlas::use(Math math) {
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

// Setting the stream takes the workspace away again, so both are set each time.
cublasHandle_t CudaBlas::handle_on(cudaStream_t stream, const Allocation& workspace) const {
    check_status(library_->set_stream(handle_, stream), "cublasSetStream");
    check_status(library_->set_workspace(handle_, workspace.data.get(),
                                         static_cast<std::size_t>(workspace.size.value)),
                 "cublasSetWorkspace");
    return handle_;
}

void CudaBlas::check_status(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
        throw Failure(fmt::format("{} failed ({})", call, library_->status_string(status)));
}

void CudaBlas::gemm(const GemmShape& shape, View<const float> a, View<const float> b, View<float> c,
                    Update update, Stream& stream) {
    require_device(a, matrix_elements(shape.rows, shape.inner), "gemm: A is not rows x inner");
    require_device(b, matrix_elements(shape.inner, shape.columns),
                   "gemm: B is not inner x columns");
    require_device(c, matrix_elements(shape.rows, shape.columns), "gemm: C is not rows x columns");
    require_apart(a, c);
    require_apart(b, c);
    if (c.empty() || (shape.inner == 0 && update == Update::accumulate))
        return;
    // While a stream captures, cuBLAS can neither get a workspace nor load its kernels.
    check(!as_cuda(stream).captures(), "a product by cuBLAS cannot be recorded");
    as_cuda(stream).launch(Phase::compute, "gemm", [&](cudaStream_t handle) {
        if (shape.inner == 0)
            cuda_check(
                cudaMemsetAsync(c.data(), 0, static_cast<std::size_t>(c.bytes().value), handle),
                "cudaMemsetAsync");
        else
            multiply(shape, a.data(), b.data(), c.data(), update, handle);
    });
}

// cuBLAS is column-major: it sees our matrices transposed, and C' = B' A'.
void CudaBlas::multiply(const GemmShape& shape, const float* a, const float* b, float* c,
                        Update update, cudaStream_t stream) {
    const float one = 1;
    const float kept = update == Update::accumulate ? 1 : 0;
    check_status(library_->sgemm(handle_on(stream, workspace_of(stream)), CUBLAS_OP_N, CUBLAS_OP_N,
                                 shape.columns, shape.rows, shape.inner, &one, b, shape.columns, a,
                                 shape.inner, &kept, c, shape.columns),
                 "cublasSgemm");
}

const Allocation& CudaBlas::workspace_of(cudaStream_t stream) {
    Allocation& workspace = workspaces_[stream];
    if (!workspace.data)
        workspace = memory_.allocate(product_workspace, MemoryKind::device);
    return workspace;
}

void CudaBlas::gemv(std::int64_t rows, std::int64_t columns, View<const double> a,
                    View<const double> x, View<double> y, Stream& stream) {
    require_device(a, matrix_elements(rows, columns), "gemv: A is not rows x columns");
    require_device(x, columns, "gemv: x does not have as many elements as A columns");
    require_device(y, rows, "gemv: y does not have as many elements as A rows");
    require_apart(a, y);
    require_apart(x, y);
    if (y.empty())
        return;
    as_cuda(stream).launch(Phase::compute, "gemv", [&](cudaStream_t handle) {
        launch_gemv({a.data(), rows, columns, columns}, x.data(), y.data(), handle);
    });
}

std::string CudaBlas::description() const {
    return fmt::format("cuBLAS {}.{}.{}{}", version_part(MAJOR_VERSION),
                       version_part(MINOR_VERSION), version_part(PATCH_LEVEL),
                       overrides_in_force());
}

int CudaBlas::version_part(libraryPropertyType part) const {
    int value = 0;
    check_status(library_->get_property(part, &value), "cublasGetProperty");
    return value;
}

}  // namespace

std::unique_ptr<Blas> make_cuda_blas(CudaMemory& memory) {
    return std::make_unique<CudaBlas>(memory);
}

}  // namespace quartet::device

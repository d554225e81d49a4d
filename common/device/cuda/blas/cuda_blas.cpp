#include "device/blas.hpp"

#include <fmt/format.h>

#include <map>

#include "core/environment.hpp"
#include "device/cuda/blas/cublas_handle.hpp"
#include "device/cuda/cuda_device.hpp"
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

class CudaBlas final : public Blas {
  public:
    explicit CudaBlas(CudaMemory& memory) : memory_(memory) {}

    void use(Math math) override { handle_.use(math); }
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

    CudaMemory& memory_;
    CublasHandle handle_;
    // Kept for destroyed streams, too: their work is done, and a new stream may have the same
    // handle.
    std::map<cudaStream_t, Allocation> workspaces_;
};

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
    handle_.check_status(
        handle_.library().sgemm(handle_.on(stream, workspace_of(stream)), CUBLAS_OP_N, CUBLAS_OP_N,
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
    handle_.check_status(handle_.library().get_property(part, &value), "cublasGetProperty");
    return value;
}

}  // namespace

std::unique_ptr<Blas> make_cuda_blas(CudaMemory& memory) {
    return std::make_unique<CudaBlas>(memory);
}

}  // namespace quartet::device

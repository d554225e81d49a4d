#include <bit>
#include <complex>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/environment.hpp"
#include "device/cuda/blas/cublas_handle.hpp"
#include "device/cuda/fft/cufft_library.hpp"
#include "device/host/fft/host_ffts.hpp"
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

struct TransformPlan {
    FftShape shape;
    std::int64_t step = 1;
    std::int64_t distance = 0;
    std::unique_ptr<FftPlan> plan;
    std::vector<std::complex<double>> from;  // the points, one transform after another
    std::vector<std::complex<double>> to;
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;
    bool used = false;
};

// The first call on a handle loads kernels, and takes memory: it is nothing for a recording.
bool refuses(bool& used) {
    used = used || refused_in_capture() == cudaSuccess;
    return !used;
}

std::map<cufftHandle, TransformPlan> plans;  // the main thread's

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
    if (refuses(handle->used))
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

// use(point, where it lies in the plan's layout), one transform after another.
template <typename Use>
void for_each_point(const TransformPlan& plan, Use use) {
    std::size_t point = 0;
    for (std::int64_t transform = 0; transform < plan.shape.batch; ++transform)
        for (std::int64_t i = 0; i < plan.shape.length; ++i)
            use(point++, transform * plan.distance + i * plan.step);
}

cufftResult create_plan(cufftHandle* handle) {
    static cufftHandle last = 0;
    *handle = ++last;
    plans[last];
    return CUFFT_SUCCESS;
}

cufftResult destroy_plan(cufftHandle handle) {
    plans.erase(handle);
    return CUFFT_SUCCESS;
}

cufftResult get_version(int* version) {
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult set_auto_allocation(cufftHandle, int automatic) {
    return automatic == 0 ? CUFFT_SUCCESS : CUFFT_NOT_SUPPORTED;
}

cufftResult make_plan(cufftHandle handle, int rank, long long* length, long long* in_rows,
                      long long in_step, long long in_distance, long long* out_rows,
                      long long out_step, long long out_distance, cufftType type, long long batch,
                      std::size_t* workspace) {
    const bool usual = in_rows == nullptr && out_rows == nullptr && in_step == 1 && out_step == 1 &&
                       in_distance == *length && out_distance == *length;
    const bool strided = in_rows != nullptr && out_rows != nullptr && in_step == out_step &&
                         in_distance == out_distance;
    if (rank != 1 || !(usual || strided) || type != CUFFT_Z2Z || *length < 2)
        return CUFFT_NOT_SUPPORTED;
    plans[handle].step = in_step;
    plans[handle].distance = in_distance;
    plans[handle].shape = {*length, batch};
    plans[handle].plan = plan_host_fft({*length, batch}, 1);
    *workspace = static_cast<std::size_t>(*length * batch) * sizeof(cufftDoubleComplex);
    return CUFFT_SUCCESS;
}

cufftResult set_work_area(cufftHandle handle, void* workspace) {
    plans[handle].workspace = workspace;
    return CUFFT_SUCCESS;
}

cufftResult set_fft_stream(cufftHandle handle, cudaStream_t stream) {
    plans[handle].stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult execute(cufftHandle handle, cufftDoubleComplex* from, cufftDoubleComplex* to,
                    int direction) {
    TransformPlan& plan = plans[handle];
    if (plan.workspace == nullptr || plan.stream == nullptr || direction != CUFFT_FORWARD)
        return CUFFT_INVALID_PLAN;
    if (refuses(plan.used))
        return CUFFT_EXEC_FAILED;
    using Point = std::complex<double>;
    const std::int64_t points = plan.shape.length * plan.shape.batch;
    count_kernel(plan.stream);
    Stream& stream = fakes(plan.stream);
    plan.from.resize(static_cast<std::size_t>(points));
    plan.to.resize(static_cast<std::size_t>(points));
    stream.enqueue(quartet::Phase::compute, "gather",
                   [&plan, source = reinterpret_cast<const Point*>(on_cpu(from))] {
                       for_each_point(plan, [&](std::size_t point, std::int64_t place) {
                           plan.from[point] = source[place];
                       });
                   });
    plan.plan->forward(View<const Point>(plan.from.data(), points, MemoryKind::host),
                       View<Point>(plan.to.data(), points, MemoryKind::host), stream);
    stream.enqueue(quartet::Phase::compute, "scatter",
                   [&plan, target = reinterpret_cast<Point*>(on_cpu(to))] {
                       for_each_point(plan, [&](std::size_t point, std::int64_t place) {
                           target[place] = plan.to[point];
                       });
                   });
    return CUFFT_SUCCESS;
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

std::shared_ptr<const CufftLibrary> load_cufft() {
    return std::make_shared<const CufftLibrary>(
        CufftLibrary{.create = create_plan,
                     .destroy = destroy_plan,
                     .get_version = get_version,
                     .set_auto_allocation = set_auto_allocation,
                     .make_plan_many = make_plan,
                     .set_work_area = set_work_area,
                     .set_stream = set_fft_stream,
                     .execute = execute});
}

}  // namespace quartet::device

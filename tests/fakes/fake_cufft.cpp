#include <fftw3.h>

#include <map>
#include <vector>

#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"
#include "fft/cuda/cufft.hpp"

using namespace quartet::device;

namespace {

/// `count` transforms of `length` points in cuFFT's layout.
struct Plan {
    std::int64_t length = 0;
    std::int64_t count = 0;
    std::int64_t step = 1;
    std::int64_t distance = 0;
    fftw_plan plan = nullptr;
    std::vector<cufftDoubleComplex> results;  // one transform after another
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;
    bool used = false;
};

std::map<cufftHandle, Plan> plans;  // the main thread's

fftw_complex* as_fftw(cufftDoubleComplex* points) {
    return reinterpret_cast<fftw_complex*>(points);
}

cufftResult create_plan(cufftHandle* handle) {
    static cufftHandle last = 0;
    *handle = ++last;
    plans[last];
    return CUFFT_SUCCESS;
}

cufftResult destroy_plan(cufftHandle handle) {
    fftw_destroy_plan(plans[handle].plan);
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
                      long long out_step, long long out_distance, cufftType type, long long count,
                      std::size_t* workspace) {
    const bool usual = in_rows == nullptr && out_rows == nullptr && in_step == 1 && out_step == 1 &&
                       in_distance == *length && out_distance == *length;
    const bool strided = in_rows != nullptr && out_rows != nullptr && in_step == out_step &&
                         in_distance == out_distance;
    if (rank != 1 || !(usual || strided) || type != CUFFT_Z2Z || *length < 2)
        return CUFFT_NOT_SUPPORTED;
    Plan& plan = plans[handle];
    plan.length = *length;
    plan.count = count;
    plan.step = in_step;
    plan.distance = in_distance;
    plan.results.resize(static_cast<std::size_t>(*length * count));
    cufftDoubleComplex any[2];  // an estimating planner neither reads nor writes
    const fftw_iodim64 transform{plan.length, plan.step, 1};
    const fftw_iodim64 several{plan.count, plan.distance, plan.length};
    plan.plan =
        fftw_plan_guru64_dft(1, &transform, 1, &several, as_fftw(&any[0]), as_fftw(&any[1]),
                             FFTW_FORWARD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | FFTW_UNALIGNED);
    *workspace = static_cast<std::size_t>(*length * count) * sizeof(cufftDoubleComplex);
    return CUFFT_SUCCESS;
}

cufftResult set_work_area(cufftHandle handle, void* workspace) {
    plans[handle].workspace = workspace;
    return CUFFT_SUCCESS;
}

cufftResult set_stream(cufftHandle handle, cudaStream_t stream) {
    plans[handle].stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult execute(cufftHandle handle, cufftDoubleComplex* from, cufftDoubleComplex* to,
                    int direction) {
    Plan& plan = plans[handle];
    if (plan.workspace == nullptr || plan.stream == nullptr || direction != CUFFT_FORWARD)
        return CUFFT_INVALID_PLAN;
    if (refuses_first_use(plan.used))
        return CUFFT_EXEC_FAILED;
    count_kernel(plan.stream);
    const auto work = [&plan, source = on_cpu(from), target = on_cpu(to)] {
        fftw_execute_dft(plan.plan, as_fftw(source), as_fftw(plan.results.data()));
        std::size_t result = 0;
        for (std::int64_t transform = 0; transform < plan.count; ++transform)
            for (std::int64_t k = 0; k < plan.length; ++k)
                target[transform * plan.distance + k * plan.step] = plan.results[result++];
    };
    fakes(plan.stream).enqueue(quartet::Phase::compute, "cufft", work);
    return CUFFT_SUCCESS;
}

}  // namespace

namespace quartet::fft {

std::shared_ptr<const CufftLibrary> load_cufft() {
    return std::make_shared<const CufftLibrary>(
        CufftLibrary{.create = create_plan,
                     .destroy = destroy_plan,
                     .get_version = get_version,
                     .set_auto_allocation = set_auto_allocation,
                     .make_plan_many = make_plan,
                     .set_work_area = set_work_area,
                     .set_stream = set_stream,
                     .execute = execute});
}

}  // namespace quartet::fft

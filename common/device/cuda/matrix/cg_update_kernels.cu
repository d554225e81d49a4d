#include "device/cuda/matrix/cg_update_kernels.hpp"
#include "device/cuda/matrix/launch_sum.cuh"

namespace quartet::device {

namespace {

struct UpdateClassic {
    FactorOnGpu alpha_factor;
    ClassicPointers vectors;
    double alpha = 0;
    __device__ void begin() { alpha = value_of(alpha_factor); }
    __device__ double operator()(std::int64_t i) const {
        vectors.solution[i] += alpha * vectors.direction[i];
        const double rest = vectors.residual[i] - alpha * vectors.product[i];
        vectors.residual[i] = rest;
        return rest * rest;
    }
};

struct UpdateSingleReduction {
    FactorOnGpu beta_factor;
    FactorOnGpu alpha_factor;
    SingleReductionPointers vectors;
    double beta = 0;
    double alpha = 0;
    __device__ void begin() {
        beta = value_of(beta_factor);
        alpha = value_of(alpha_factor);
    }
    __device__ double operator()(std::int64_t i) const {
        const double residual = vectors.residual[i];
        const double direction = residual + beta * vectors.direction[i];
        const double product = vectors.residual_product[i] + beta * vectors.product[i];
        vectors.direction[i] = direction;
        vectors.product[i] = product;
        vectors.solution[i] += alpha * direction;
        const double rest = residual - alpha * product;
        vectors.residual[i] = rest;
        return rest * rest;
    }
};

__global__ void update_alpha_kernel(CgScalars* scalars) {
    update_alpha(*scalars);
}
__global__ void update_beta_kernel(CgScalars* scalars, double* history) {
    update_beta(*scalars, history);
}
__global__ void update_alpha_beta_kernel(CgScalars* scalars, double* history) {
    update_alpha_beta(*scalars, history);
}

}  // namespace

void launch_update_classic(FactorOnGpu alpha, const ClassicPointers& vectors, std::int64_t size,
                           double* partials, double* result, cudaStream_t stream) {
    launch_sum(UpdateClassic{alpha, vectors}, size, partials, result, stream);
}

void launch_update_single_reduction(FactorOnGpu beta, FactorOnGpu alpha,
                                    const SingleReductionPointers& vectors, std::int64_t size,
                                    double* partials, double* result, cudaStream_t stream) {
    launch_sum(UpdateSingleReduction{beta, alpha, vectors}, size, partials, result, stream);
}

void launch_update_alpha(CgScalars* scalars, cudaStream_t stream) {
    update_alpha_kernel<<<1, 1, 0, stream>>>(scalars);
}

void launch_update_beta(CgScalars* scalars, double* history, cudaStream_t stream) {
    update_beta_kernel<<<1, 1, 0, stream>>>(scalars, history);
}

void launch_update_alpha_beta(CgScalars* scalars, double* history, cudaStream_t stream) {
    update_alpha_beta_kernel<<<1, 1, 0, stream>>>(scalars, history);
}

}  // namespace quartet::device

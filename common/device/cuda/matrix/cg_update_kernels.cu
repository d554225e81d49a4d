#include "device/cuda/matrix/cg_update_kernels.hpp"
#include "device/cuda/matrix/launch_sum.cuh"
#include "device/cuda/matrix/rows_kernel.hpp"
#include "device/cuda/runtime/loaded_kernels.hpp"

namespace quartet::device {

namespace {

// More than two would take so many registers that fewer blocks run at once.
constexpr int update_lanes_at_once = 2;

struct UpdateSingleReduction {
    static constexpr int lanes_at_once = update_lanes_at_once;
    FactorOnGpu beta_factor;
    FactorOnGpu alpha_factor;
    SingleReductionPointers vectors;
    double beta = 0;
    double alpha = 0;
    __device__ void begin() {
        beta = value_of(beta_factor);
        alpha = value_of(alpha_factor);
    }
    struct Operands {
        double direction, product, residual_product, solution, residual;
    };
    __device__ Operands operands(std::int64_t i) const {
        return {vectors.direction[i], vectors.product[i], vectors.residual_product[i],
                vectors.solution[i], vectors.residual[i]};
    }
    __device__ double operator()(std::int64_t i, const Operands& of) const {
        const double direction = of.residual + beta * of.direction;
        const double product = of.residual_product + beta * of.product;
        vectors.direction[i] = direction;
        vectors.product[i] = product;
        vectors.solution[i] = of.solution + alpha * direction;
        const double rest = of.residual - alpha * product;
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
    const UpdateOnGpu update{size,
                             const_cast<double*>(vectors.direction),
                             vectors.solution,
                             vectors.residual,
                             partials,
                             alpha,
                             {},
                             nullptr,
                             UpdatedDirection::as_it_is};
    launch_vector_update(vectors.product, update, stream);
    sum_partials<<<1, block_threads, 0, stream>>>(partials, update_blocks(size), result);
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

cudaError_t load_cg_update_kernels() {
    return loaded(sum_blocks<UpdateSingleReduction>, sum_partials, update_alpha_kernel,
                  update_beta_kernel, update_alpha_beta_kernel);
}

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cg_scalars.hpp"
#include "device/cuda/matrix/factor_on_gpu.hpp"

namespace quartet::device {

/// Launches of the kernels behind CgKernels: pointers into the GPU's memory, sizes in elements.
/// `partials` has most_sum_blocks elements for the sums of the blocks.

struct ClassicPointers {
    const double* direction;
    const double* product;
    double* solution;
    double* residual;
};
void launch_update_classic(FactorOnGpu alpha, const ClassicPointers& vectors, std::int64_t size,
                           double* partials, double* result, cudaStream_t stream);

struct SingleReductionPointers {
    double* direction;
    double* product;
    const double* residual_product;
    double* solution;
    double* residual;
};
void launch_update_single_reduction(FactorOnGpu beta, FactorOnGpu alpha,
                                    const SingleReductionPointers& vectors, std::int64_t size,
                                    double* partials, double* result, cudaStream_t stream);

/// The functions of cg_scalars.hpp, each by one thread.
void launch_update_alpha(CgScalars* scalars, cudaStream_t stream);
void launch_update_beta(CgScalars* scalars, double* history, cudaStream_t stream);
void launch_update_alpha_beta(CgScalars* scalars, double* history, cudaStream_t stream);

cudaError_t load_cg_update_kernels();

}  // namespace quartet::device

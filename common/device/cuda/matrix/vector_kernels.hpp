#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cuda/matrix/factor_on_gpu.hpp"

namespace quartet::device {

/// Launches of the vector kernels: pointers into the GPU's memory, sizes in elements.

void launch_add(const float* source, float* target, std::int64_t size, cudaStream_t stream);
void launch_add(const double* source, double* target, std::int64_t size, cudaStream_t stream);
void launch_fill(float value, float* target, std::int64_t size, cudaStream_t stream);
void launch_fill(double value, double* target, std::int64_t size, cudaStream_t stream);

void launch_axpy(FactorOnGpu factor, const double* x, double* y, std::int64_t size,
                 cudaStream_t stream);
void launch_xpay(const double* x, FactorOnGpu factor, double* y, std::int64_t size,
                 cudaStream_t stream);

/// result[0] = x . y; `partials` has most_sum_blocks elements for the sums of the blocks.
void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream);

struct ClassicPointers {
    const double* direction;
    const double* product;
    double* solution;
    double* residual;
};
/// VectorOperations::update_classic; `partials` likewise.
void launch_update_classic(FactorOnGpu alpha, const ClassicPointers& vectors, std::int64_t size,
                           double* partials, double* result, cudaStream_t stream);

/// The GPU architectures that the kernels were compiled for, such as 900, ascending; `count` of
/// them.
struct BuiltArchitectures {
    const int* first;
    int count;
};
BuiltArchitectures built_architectures();

/// See loaded_kernels.hpp; so have the other kernels theirs.
cudaError_t load_vector_kernels();

}  // namespace quartet::device

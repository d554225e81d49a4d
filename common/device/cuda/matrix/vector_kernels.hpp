#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/cg_scalars.hpp"

namespace quartet::device {

/// Launches of the vector kernels: pointers into the GPU's memory, sizes in elements.

void launch_add(const float* source, float* target, std::int64_t size, cudaStream_t stream);
void launch_add(const double* source, double* target, std::int64_t size, cudaStream_t stream);
void launch_fill(float value, float* target, std::int64_t size, cudaStream_t stream);
void launch_fill(double value, double* target, std::int64_t size, cudaStream_t stream);

/// A number, or where in reachable memory it is (null: the number).
struct FactorOnGpu {
    double number;
    const double* place;
};
void launch_axpy(FactorOnGpu factor, const double* x, double* y, std::int64_t size,
                 cudaStream_t stream);
void launch_xpay(const double* x, FactorOnGpu factor, double* y, std::int64_t size,
                 cudaStream_t stream);

/// result[0] = x . y; `partials` has most_sum_blocks elements for the sums of the blocks.
void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream);

/// x += step p, r -= step A p, and result[0] = r . r of the new r, summed as a dot; no vector is
/// another.
struct StepPointers {
    const double* direction;
    const double* product;
    double* solution;
    double* residual;
};
void launch_step(FactorOnGpu step, const StepPointers& vectors, std::int64_t size, double* partials,
                 double* result, cudaStream_t stream);

/// p = r + turn p, s = w + turn s, x += step p, r -= step s, and result[0] = r . r; ditto.
struct CombinedStepPointers {
    double* direction;
    double* product;
    const double* residual_product;
    double* solution;
    double* residual;
};
void launch_turn_and_step(FactorOnGpu turn, FactorOnGpu step, const CombinedStepPointers& vectors,
                          std::int64_t size, double* partials, double* result, cudaStream_t stream);

/// The functions of cg_scalars.hpp, by one thread.
void launch_find_step(CgScalars* scalars, cudaStream_t stream);
void launch_find_turn(CgScalars* scalars, double* history, cudaStream_t stream);
void launch_find_turn_and_step(CgScalars* scalars, double* history, cudaStream_t stream);

/// The GPU architectures that the kernels were compiled for, such as 900, ascending; `count` of
/// them.
struct BuiltArchitectures {
    const int* first;
    int count;
};
BuiltArchitectures built_architectures();

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

namespace quartet::device {

/// Launches of the vector kernels: pointers into the GPU's memory, sizes in elements.

void launch_add(const float* source, float* target, std::int64_t size, cudaStream_t stream);
void launch_add(const double* source, double* target, std::int64_t size, cudaStream_t stream);
void launch_fill(float value, float* target, std::int64_t size, cudaStream_t stream);
void launch_fill(double value, double* target, std::int64_t size, cudaStream_t stream);

void launch_axpy(double factor, const double* x, double* y, std::int64_t size, cudaStream_t stream);
void launch_xpay(const double* x, double factor, double* y, std::int64_t size, cudaStream_t stream);

/// result[0] = x . y; `partials` has most_sum_blocks elements for the sums of the blocks.
void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream);

/// result[0] = the sum of `count` numbers that other kernels wrote.
void launch_sum_partials(const double* partials, std::int64_t count, double* result,
                         cudaStream_t stream);

/// A matrix of doubles in the GPU's memory, row by row, `stride` elements from one row to the next.
struct RowMajorMatrix {
    const double* elements = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
};

/// y = A x; the order of the additions depends on the number of columns alone.
void launch_gemv(const RowMajorMatrix& matrix, const double* x, double* y, cudaStream_t stream);

/// The GPU architectures that the kernels were compiled for, such as 900, ascending; `count` of
/// them.
struct BuiltArchitectures {
    const int* first;
    int count;
};
BuiltArchitectures built_architectures();

/// Load the kernels of this header for the current GPU (loaded_kernels.hpp).
cudaError_t load_vector_kernels();
cudaError_t load_gemv_kernels();

class VectorOperations;
/// These kernels as operations. The order of additions in dot() depends on the size alone.
std::unique_ptr<VectorOperations> make_cuda_vector_operations();

}  // namespace quartet::device

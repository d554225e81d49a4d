#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace quartet::device {

/// A matrix of doubles in the GPU's memory, row by row, `stride` elements from one row to the next.
struct RowMajorMatrix {
    const double* elements = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
};

/// y = A x; the order of the additions depends on the number of columns alone.
void launch_gemv(const RowMajorMatrix& matrix, const double* x, double* y, cudaStream_t stream);

cudaError_t load_gemv_kernels();

}  // namespace quartet::device

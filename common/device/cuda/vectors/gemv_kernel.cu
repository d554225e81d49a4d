#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "device/cuda/runtime/warp_sums.cuh"
#include "device/cuda/vectors/vector_kernels.hpp"

namespace quartet::device {

namespace {

// Rows of one block: x comes from the caches and is read once for four rows of A; four loads of A
// are in flight at once.
constexpr int gemv_rows = 4;

/// Read two neighbours of a row of A, which no thread needs again (once), or of x, which all blocks
/// need (often): by one load if x and all rows are aligned to 16 bytes, else by two. The arithmetic
/// is the same.
struct ReadPairs {
    __device__ static double2 once(const double* address) {
        return __ldcs(reinterpret_cast<const double2*>(address));
    }
    __device__ static double2 often(const double* address) {
        return *reinterpret_cast<const double2*>(address);
    }
};
struct ReadSingles {
    __device__ static double2 once(const double* address) {
        return {__ldcs(address), __ldcs(address + 1)};
    }
    __device__ static double2 often(const double* address) { return {address[0], address[1]}; }
};

template <typename Read>
__global__ void __launch_bounds__(block_threads, 4)
    multiply_rows(RowMajorMatrix matrix, const double* x, double* y) {
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * gemv_rows;
    const double* rows[gemv_rows];
    for (int i = 0; i < gemv_rows; ++i) {
        const std::int64_t row = first_row + i;  // beyond the end: the last row again, unused
        rows[i] = matrix.elements + (row < matrix.rows ? row : matrix.rows - 1) * matrix.stride;
    }
    double sums[gemv_rows] = {};
    std::int64_t column = 2 * static_cast<std::int64_t>(threadIdx.x);
#pragma unroll 1
    for (; column + 1 < matrix.columns; column += 2 * block_threads) {
        const double2 of_x = Read::often(x + column);
        for (int i = 0; i < gemv_rows; ++i) {
            const double2 of_row = Read::once(rows[i] + column);
            sums[i] += of_row.x * of_x.x;
            sums[i] += of_row.y * of_x.y;
        }
    }
    if (column < matrix.columns)
        for (int i = 0; i < gemv_rows; ++i)
            sums[i] += rows[i][column] * x[column];
    // First lane 8 i of each warp has the sum of row i; then lane 8 i of the first warp has the sum
    // over all warps.
    constexpr int warps = 8;
    static_assert(gemv_rows == 4 && warps * 32 == block_threads);
    __shared__ double of_warps[gemv_rows][warps];
    const int thread = static_cast<int>(threadIdx.x);
    const double of_warp = warp_sums(sums);
    if (thread % 8 == 0)
        of_warps[thread % 32 / 8][thread / 32] = of_warp;
    __syncthreads();
    if (thread >= 32)
        return;
    double sum = of_warps[thread / warps][thread % warps];
    for (int offset = warps / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (thread % warps == 0 && first_row + thread / warps < matrix.rows)
        y[first_row + thread / warps] = sum;
}

bool pairs_are_aligned(const RowMajorMatrix& matrix, const double* x) {
    return reinterpret_cast<std::uintptr_t>(matrix.elements) % 16 == 0 &&
           reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && matrix.stride % 2 == 0;
}

}  // namespace

void launch_gemv(const RowMajorMatrix& matrix, const double* x, double* y, cudaStream_t stream) {
    if (matrix.rows == 0)
        return;
    const auto blocks = static_cast<unsigned>(divide_up(matrix.rows, gemv_rows));
    if (pairs_are_aligned(matrix, x))
        multiply_rows<ReadPairs><<<blocks, block_threads, 0, stream>>>(matrix, x, y);
    else
        multiply_rows<ReadSingles><<<blocks, block_threads, 0, stream>>>(matrix, x, y);
}

cudaError_t load_gemv_kernels() {
    return loaded(multiply_rows<ReadPairs>, multiply_rows<ReadSingles>);
}

}  // namespace quartet::device

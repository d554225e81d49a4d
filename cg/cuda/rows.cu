#include "cg/cuda/iteration.cuh"
#include "device/cuda/runtime/instructions.cuh"
#include "device/cuda/runtime/loaded_kernels.hpp"

namespace quartet::cg {

namespace {

using device::bring_to_l2;
using device::RowMajorMatrix;

constexpr int threads = 512;
constexpr int warps = threads / 32;
// Pairs of columns that a thread loads at once.
constexpr int batch = 8;
constexpr int batch_columns = 2 * 32 * batch;
constexpr auto chunk_columns = static_cast<int>(rows_chunk_columns);
static_assert(chunk_columns % batch_columns == 0);

/// A row in a chunk: what a warp multiplies.
struct Piece {
    const double* elements;
    int columns;  ///< padding included: a multiple of 2
    bool kept;    ///< in the L2 cache

    __device__ Piece(const RowsOnGpu& of, unsigned number)
        : kept(static_cast<int>(number % 64) < of.kept) {
        const RowMajorMatrix& matrix = of.matrix;
        const auto rows = static_cast<unsigned>(matrix.rows);
        const std::int64_t column = std::int64_t{number / rows} * chunk_columns;
        elements = matrix.elements + number % rows * matrix.stride + column;
        columns = static_cast<int>(between(matrix.stride - column, 0, chunk_columns));
    }
    [[nodiscard]] __device__ int batches() const {
        return (columns + batch_columns - 1) / batch_columns;
    }
    /// What is not kept leaves the L2 cache first, so that the rest is still there in the next
    /// product. (Policies by createpolicy kept no more on an H200.)
    /// Beyond the end the last pair is read, and multiplied by zeros: a load that hangs on a
    /// condition would wait for the one before.
    __device__ void load(int number, double2 (&pairs)[batch]) const {
        const int first = number * batch_columns + 2 * static_cast<int>(threadIdx.x % 32);
        const auto* from = reinterpret_cast<const double2*>(elements + first);
        if (kept && (number + 1) * batch_columns <= columns) {
#pragma unroll
            for (int i = 0; i < batch; ++i)
                pairs[i] = __ldcg(from + 32 * i);
            return;
        }
        if ((number + 1) * batch_columns <= columns) {
#pragma unroll
            for (int i = 0; i < batch; ++i)
                pairs[i] = __ldcs(from + 32 * i);
            return;
        }
        const int last = (columns - first) / 2 - 1;
#pragma unroll
        for (int i = 0; i < batch; ++i)
            pairs[i] = __ldcs(from + (32 * i < last ? 32 * i : last));
    }
    /// What a warp loads after its first batch would come too late for the memory to be busy while
    /// a block waits for p.
    __device__ void announce() const {
        constexpr int ahead = 2 * batch_columns;
        if (threadIdx.x % 32 == 0 && columns >= ahead)
            bring_to_l2(elements + batch_columns, (ahead - batch_columns) * sizeof(double));
    }
};

__global__ void __launch_bounds__(threads, rows_blocks_of_multiprocessor)
    multiply_pieces(RowsOnGpu rows, DirectionOnGpu direction) {
    __shared__ double p_of_chunk[chunk_columns];
    __shared__ double of_warps[warps];
    let_next_kernel_start();
    const RowMajorMatrix& matrix = rows.matrix;
    const int thread = static_cast<int>(threadIdx.x);
    const auto chunks = static_cast<unsigned>(rows_chunks(matrix.columns));
    const auto pieces = chunks * static_cast<std::uint64_t>(matrix.rows);
    const auto end = static_cast<unsigned>(pieces * (blockIdx.x + 1) / gridDim.x);
    const auto begin = static_cast<unsigned>(pieces * blockIdx.x / gridDim.x);
    unsigned number = begin + thread / 32;
    Piece piece(rows, number < end ? number : begin);
    double2 pairs[batch];
    if (number < end) {
        piece.load(0, pairs);
        piece.announce();
    }
    wait_for_last_kernel();
    const double beta = begin_product(direction);
    double curvature = 0;
    for (unsigned chunk = begin / static_cast<unsigned>(matrix.rows); chunk < chunks; ++chunk) {
        const auto end_of_chunk = static_cast<unsigned>((chunk + 1) * matrix.rows);
        if (chunk * matrix.rows >= end)
            break;
        __syncthreads();  // until the last chunk is done
        const std::int64_t column = std::int64_t{chunk} * chunk_columns;
        const auto columns = static_cast<int>(between(matrix.columns - column, 0, chunk_columns));
#pragma unroll 2
        for (int i = thread; i < chunk_columns; i += threads)
            p_of_chunk[i] = i < columns ? element_of(direction, beta, column + i) : 0.0;
        __syncthreads();
        while (number < end && number < end_of_chunk) {
            const std::int64_t row = number % static_cast<unsigned>(matrix.rows);
            // A block that is no part of a square matrix has no p.Ap.
            const double p_of_row =
                element_of(direction, beta, between(rows.first_row + row, 0, matrix.columns - 1));
            const int batches = piece.batches();
            double2 sums{};
#pragma unroll 1
            for (int i = 0; i < batches; ++i) {
                const double* factors = p_of_chunk + i * batch_columns + 2 * (thread % 32);
#pragma unroll
                for (int pair = 0; pair < batch; ++pair) {
                    const double2 factor = *reinterpret_cast<const double2*>(factors + 64 * pair);
                    sums.x += pairs[pair].x * factor.x;
                    sums.y += pairs[pair].y * factor.y;
                }
                if (i + 1 < batches) {
                    piece.load(i + 1, pairs);
                } else if (number + warps < end) {
                    piece = Piece(rows, number + warps);
                    piece.load(0, pairs);
                }
            }
            double sum = sums.x + sums.y;
            for (int lanes = 16; lanes > 0; lanes /= 2)
                sum += __shfl_xor_sync(0xffffffff, sum, lanes);
            if (thread % 32 == 0)
                rows.sums[number] = sum;
            curvature += sum * p_of_row;
            number += warps;
        }
    }
    if (thread % 32 == 0)
        of_warps[thread / 32] = curvature;
    __syncthreads();
    if (thread > 0)
        return;
    double sum = 0;
    for (const double of_warp : of_warps)
        sum += of_warp;
    rows.curvature[blockIdx.x] = sum;
}

/// Elements of the product: sums of the chunks from left to right; warps take turns.
struct ChunkSums {
    const double* of_chunks;
    std::int64_t rows;
    std::int64_t chunks;
    __device__ double sums(std::int64_t i, int warp, int of) const {
        double sum = 0;
        for (std::int64_t chunk = warp; chunk < chunks; chunk += of)
            sum += __ldcg(of_chunks + chunk * rows + i);
        return sum;
    }
};

ChunkSums sums_of(const RowsOnGpu& rows) {
    return {rows.sums, rows.matrix.rows, rows_chunks(rows.matrix.columns)};
}

__global__ void __launch_bounds__(block_threads)
    last_direction(DirectionOnGpu direction, double* p, std::int64_t size) {
    wait_for_last_kernel();
    const double beta = begin_product(direction);
    const std::int64_t i = grid_thread();
    if (i < size)
        p[i] = element_of(direction, beta, i);
}

}  // namespace

void launch_product(const RowsOnGpu& rows, const DirectionOnGpu& direction, cudaStream_t stream) {
    if (rows.blocks > 0)
        launch_dependent(multiply_pieces, {rows.blocks, threads}, stream, rows, direction);
}

void launch_sums(const RowsOnGpu& rows, double* y, double* result, cudaStream_t stream) {
    launch_add_product(sums_of(rows), y, rows.matrix.rows, {rows.curvature, rows.blocks}, result,
                       stream);
}

void launch_update(const RowsOnGpu& rows, const UpdateOnGpu& update, cudaStream_t stream) {
    launch_update_of(sums_of(rows), update, stream);
}

void launch_vector_update(const double* product, const UpdateOnGpu& update, cudaStream_t stream) {
    launch_update_of(ChunkSums{product, update.size, 1}, update, stream);
}

void launch_last_direction(const DirectionOnGpu& direction, double* p, std::int64_t size,
                           cudaStream_t stream) {
    if (size > 0)
        launch_dependent(last_direction, {divide_up(size, block_threads), block_threads}, stream,
                         direction, p, size);
}

cudaError_t load_rows_kernels() {
    return device::loaded(multiply_pieces, update_blocks_of<ChunkSums>, add_product<ChunkSums>,
                          last_direction);
}

}  // namespace quartet::cg

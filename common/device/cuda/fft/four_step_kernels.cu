#include "device/cuda/fft/four_step_kernels.hpp"
#include "device/cuda/matrix/block_sum.cuh"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

namespace {

constexpr int transpose_edge = 32;
constexpr int transpose_rows = 8;
// Bins for which a thread looks up its own twiddle once.
constexpr std::int64_t twiddle_run = std::int64_t{16} * block_threads;

unsigned grid_size(std::int64_t count) {
    return static_cast<unsigned>(blocks_for(count, 1));
}

__device__ double2 product(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

__device__ double2 twiddle(const Twiddles& twiddles, std::int64_t exponent) {
    return product(twiddles.coarse[twiddles.split.coarse(exponent)],
                   twiddles.fine[twiddles.split.fine(exponent)]);
}

__device__ void store(double* part, std::int64_t offset, double2 value) {
    part[offset] = value.x;
    part[offset + fft_block_bins] = value.y;
}

// Neighbouring threads have neighbouring bins of one tile: they read a run, and eight of them write
// a SIMD block of 128 bytes.
__global__ void __launch_bounds__(block_threads)
    pack(PackShape shape, Twiddles twiddles, const double2* transformed, double* part) {
    const std::int64_t count = shape.tiles * shape.bins;
    for (std::int64_t i = grid_thread(); i < count; i += grid_threads()) {
        const std::int64_t tile = i / shape.bins;
        const std::int64_t bin = i % shape.bins;
        const std::int64_t k1 = shape.first_bin + bin;
        const double2 value = transformed[tile * shape.length + k1];
        store(part, offset_in_part(bin, shape.first_slot + tile, shape.part_tiles),
              product(value, twiddle(twiddles, (shape.first_tile + tile) * k1)));
    }
}

// Eight threads read a SIMD block, their neighbours the next tile's, which follows it.
__global__ void __launch_bounds__(block_threads)
    unpack(UnpackShape shape, const double* part, double2* columns) {
    const std::int64_t simd_blocks = divide_up(shape.bins, fft_block_bins);
    const std::int64_t count = simd_blocks * shape.part_tiles * fft_block_bins;
    for (std::int64_t i = grid_thread(); i < count; i += grid_threads()) {
        const std::int64_t lane = i % fft_block_bins;
        const std::int64_t tile = i / fft_block_bins % shape.part_tiles;
        const std::int64_t bin = i / fft_block_bins / shape.part_tiles * fft_block_bins + lane;
        if (bin >= shape.bins)
            continue;
        const std::int64_t offset = offset_in_part(shape.first_bin + bin, tile, shape.part_tiles);
        columns[bin * shape.tiles + shape.first_tile + tile] = {part[offset],
                                                                part[offset + fft_block_bins]};
    }
}

// By squares of 32 x 32 in shared memory, so that both sides are runs; a column more in each row of
// the square keeps its columns on different banks.
__global__ void __launch_bounds__(transpose_edge* transpose_rows)
    transpose(TransposeShape shape, std::int64_t squares_across, const double2* source,
              double2* target) {
    __shared__ double2 square[transpose_edge][transpose_edge + 1];
    const std::int64_t first_row = blockIdx.x / squares_across * transpose_edge;
    const std::int64_t first_column = blockIdx.x % squares_across * transpose_edge;
    for (int j = static_cast<int>(threadIdx.y); j < transpose_edge; j += transpose_rows) {
        const std::int64_t row = first_row + threadIdx.x;
        const std::int64_t column = first_column + j;
        if (row < shape.rows && column < shape.columns)
            square[j][threadIdx.x] = source[column * shape.rows + row];
    }
    __syncthreads();
    for (int j = static_cast<int>(threadIdx.y); j < transpose_edge; j += transpose_rows) {
        const std::int64_t row = first_row + j;
        const std::int64_t column = first_column + threadIdx.x;
        if (row < shape.rows && column < shape.columns)
            target[row * shape.stride + shape.first_column + column] = square[threadIdx.x][j];
    }
}

__global__ void __launch_bounds__(block_threads)
    natural_order(NaturalOrderShape shape, const double2* part, double2* bins) {
    for (std::int64_t i = grid_thread(); i < shape.count; i += grid_threads())
        bins[shape.columns.bin(shape.before + i) - shape.first_bin] = part[i];
}

// A thread block goes through runs of a tile's bins. The twiddle of a bin is that of its thread's
// number times that of the first bin of the step, which all threads read together: the tables are
// not read at random.
__global__ void __launch_bounds__(block_threads)
    multiply_by_twiddles(TwiddleShape shape, std::int64_t runs, Twiddles twiddles, double2* bins) {
    const std::int64_t thread = threadIdx.x;
    for (std::int64_t item = blockIdx.x; item < shape.tiles * runs; item += gridDim.x) {
        const std::int64_t tile = item / runs;
        const std::int64_t begin = item % runs * twiddle_run;
        const std::int64_t end =
            begin + twiddle_run < shape.length ? begin + twiddle_run : shape.length;
        double2* row = bins + tile * shape.length;
        const double2 own = twiddle(twiddles, thread < shape.length ? tile * thread : 0);
        for (std::int64_t first = begin; first + thread < end; first += block_threads) {
            const double2 both = product(own, twiddle(twiddles, tile * first));
            row[first + thread] = product(row[first + thread], both);
        }
    }
}

__global__ void __launch_bounds__(block_threads)
    scatter_tile(ScatterTileShape shape, Twiddles twiddles, const double* blocks, double* parts) {
    for (std::int64_t bin = grid_thread(); bin < shape.length; bin += grid_threads()) {
        const std::int64_t from = offset_in_part(bin, 0, 1);
        const double2 value = {blocks[from], blocks[from + fft_block_bins]};
        store(parts, offset_in_part(bin, shape.tile, shape.tiles),
              product(value, twiddle(twiddles, shape.tile * bin)));
    }
}

}  // namespace

void launch_pack(const PackShape& shape, const Twiddles& twiddles, const double2* transformed,
                 double* part, cudaStream_t stream) {
    const std::int64_t count = shape.tiles * shape.bins;
    if (count > 0)
        pack<<<grid_size(count), block_threads, 0, stream>>>(shape, twiddles, transformed, part);
}

void launch_unpack(const UnpackShape& shape, const double* part, double2* columns,
                   cudaStream_t stream) {
    const std::int64_t count = shape.bins * shape.part_tiles;
    if (count > 0)
        unpack<<<grid_size(count), block_threads, 0, stream>>>(shape, part, columns);
}

void launch_transpose(const TransposeShape& shape, const double2* source, double2* target,
                      cudaStream_t stream) {
    const std::int64_t across = divide_up(shape.columns, transpose_edge);
    const std::int64_t squares = across * divide_up(shape.rows, transpose_edge);
    const dim3 threads(transpose_edge, transpose_rows);
    if (squares > 0)
        transpose<<<static_cast<unsigned>(squares), threads, 0, stream>>>(shape, across, source,
                                                                          target);
}

void launch_natural_order(const NaturalOrderShape& shape, const double2* part, double2* bins,
                          cudaStream_t stream) {
    if (shape.count > 0)
        natural_order<<<grid_size(shape.count), block_threads, 0, stream>>>(shape, part, bins);
}

void launch_twiddles(const TwiddleShape& shape, const Twiddles& twiddles, double2* bins,
                     cudaStream_t stream) {
    const std::int64_t runs = divide_up(shape.length, twiddle_run);
    const std::int64_t blocks = between(shape.tiles * runs, 1, most_blocks);
    multiply_by_twiddles<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(
        shape, runs, twiddles, bins);
}

void launch_scatter_tile(const ScatterTileShape& shape, const Twiddles& twiddles,
                         const double* blocks, double* parts, cudaStream_t stream) {
    scatter_tile<<<grid_size(shape.length), block_threads, 0, stream>>>(shape, twiddles, blocks,
                                                                        parts);
}

}  // namespace quartet::device

#include "device/cuda/runtime/block_sum.cuh"
#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

using namespace device;

namespace {

constexpr int transpose_edge = 32;
constexpr int transpose_rows = 8;
// Bins whose loads a thread has under way at once, and how many of those it goes through with the
// twiddle that it has looked up: fewer if the GPU would have too few blocks.
constexpr int twiddle_batch = 4;
constexpr std::int64_t shortest_run = std::int64_t{twiddle_batch} * block_threads;
constexpr std::int64_t longest_run = 4 * shortest_run;
constexpr std::int64_t enough_blocks = 2048;

__device__ double2 product(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

__device__ double2 twiddle(const Twiddles& twiddles, std::int64_t exponent) {
    const std::int64_t below = (std::int64_t{1} << twiddles.shift) - 1;
    return product(twiddles.coarse[exponent >> twiddles.shift], twiddles.fine[exponent & below]);
}

__device__ void store(double* part, std::int64_t offset, double2 value) {
    part[offset] = value.x;
    part[offset + fft_block_bins] = value.y;
}

/// Bins [first_bin, first_bin + bins) of tiles from first_tile on, in runs of one thread block.
struct TwiddledBins {
    std::int64_t tiles;
    std::int64_t bins;
    std::int64_t first_tile;
    std::int64_t first_bin;
    std::int64_t run;

    [[nodiscard]] constexpr std::int64_t runs() const { return divide_up(bins, run); }
    [[nodiscard]] unsigned grid_size() const {
        return static_cast<unsigned>(between(tiles * runs(), 1, most_blocks));
    }
};

TwiddledBins in_runs(std::int64_t tiles, std::int64_t bins, std::int64_t first_tile,
                     std::int64_t first_bin) {
    const bool many = tiles * divide_up(bins, longest_run) >= enough_blocks;
    return {tiles, bins, first_tile, first_bin, many ? longest_run : shortest_run};
}

// store(tile, bin, load(tile, bin) times its twiddle), tile and bin counted from the first. The
// twiddle is that of the thread's number times that of the first bin of the step, which all threads
// read together: the tables are not read at random. Beyond the end the last bin is read again, for
// nothing: a load that hangs on a condition would wait for the one before.
template <typename Load, typename Store>
__device__ void multiply_runs(const TwiddledBins& shape, const Twiddles& twiddles, Load load,
                              Store store) {
    const std::int64_t thread = threadIdx.x;
    const std::int64_t runs = shape.runs();
    for (std::int64_t item = blockIdx.x; item < shape.tiles * runs; item += gridDim.x) {
        const std::int64_t tile = item / runs;
        const std::int64_t t = shape.first_tile + tile;
        const std::int64_t begin = item % runs * shape.run;
        const std::int64_t end = begin + shape.run < shape.bins ? begin + shape.run : shape.bins;
        const double2 own = twiddle(twiddles, thread < shape.bins ? t * thread : 0);
        for (std::int64_t first = begin; first < end; first += shortest_run) {
            double2 values[twiddle_batch];
#pragma unroll
            for (int i = 0; i < twiddle_batch; ++i) {
                const std::int64_t bin = first + i * block_threads + thread;
                values[i] = load(tile, bin < end ? bin : end - 1);
            }
#pragma unroll
            for (int i = 0; i < twiddle_batch; ++i) {
                const std::int64_t step = first + i * block_threads;
                if (step + thread < end)
                    store(tile, step + thread,
                          product(values[i],
                                  product(own, twiddle(twiddles, t * (shape.first_bin + step)))));
            }
        }
    }
}

// Neighbouring threads have neighbouring bins of one tile: they read a run, and eight of them write
// a SIMD block of 128 bytes.
__global__ void __launch_bounds__(block_threads)
    pack(PackShape shape, TwiddledBins bins, Twiddles twiddles, const double2* transformed,
         double* part) {
    multiply_runs(
        bins, twiddles,
        [&](std::int64_t tile, std::int64_t bin) {
            return transformed[tile * shape.length + shape.first_bin + bin];
        },
        [&](std::int64_t tile, std::int64_t bin, double2 value) {
            store(part, offset_in_part(bin, shape.first_slot + tile, shape.part_tiles), value);
        });
}

// Points that a thread of the copies below has under way at once.
constexpr int copy_batch = 4;

/// An element of rows of equal length that follow one another.
struct RowPlace {
    std::int64_t index;
    std::int64_t row;
    std::int64_t column;
};

/// Goes through the elements of rows by equal steps. A division for each of them, in 64 bits, would
/// take a copy more instructions than all the rest.
struct RowSteps {
    std::int64_t count;  ///< elements of all rows
    std::int64_t length;
    RowPlace step;

    [[nodiscard]] constexpr RowPlace begin(std::int64_t index) const {
        return {index, index / length, index % length};
    }
    [[nodiscard]] constexpr RowPlace next(const RowPlace& place) const {
        RowPlace next{place.index + step.index, place.row + step.row, place.column + step.column};
        if (next.column >= length) {
            next.column -= length;
            ++next.row;
        }
        return next;
    }
};

RowSteps row_steps(std::int64_t count, std::int64_t length, std::int64_t step) {
    return {count, length, {step, step / length, step % length}};
}

unsigned copy_grid(std::int64_t count) {
    return static_cast<unsigned>(blocks_for(count, copy_batch));
}

std::int64_t threads_of(unsigned grid) {
    return std::int64_t{grid} * block_threads;
}

/// Exchanges a pair of neighbouring bins between threads. The lower four of eight threads hold the
/// real parts, the upper four the imaginary ones. The lower get the even bin, the upper the odd
/// one. All threads of a warp must call it.
__device__ double2 with_partner(double2 pair, bool upper) {
    const double got = __shfl_xor_sync(0xffffffff, upper ? pair.x : pair.y, 4);
    return upper ? double2{got, pair.y} : double2{pair.x, got};
}

// Eight threads read a SIMD block, 16 bytes each: the whole line at once, since it may be a peer's,
// behind a link. Their neighbours read the next tile's, which follows it. Beyond the end the first
// block is read again, for nothing: whole warps exchange.
__global__ void __launch_bounds__(block_threads)
    unpack(UnpackShape shape, RowSteps steps, const double* part, double2* columns) {
    const std::int64_t lane = threadIdx.x % fft_block_bins;
    const bool upper = lane >= fft_block_bins / 2;
    const std::int64_t bin_of_block = lane % (fft_block_bins / 2) * 2 + (upper ? 1 : 0);
    const std::int64_t of_warp = threadIdx.x % 32 / fft_block_bins;
    const double* lines = part + offset_in_part(shape.first_bin, 0, shape.part_tiles) + 2 * lane;
    double2* target = columns + bin_of_block * shape.tiles + shape.first_tile;
    // A row has the blocks of the same bins of all the sender's tiles.
    RowPlace place = steps.begin(grid_thread() / fft_block_bins);
    const std::int64_t step = grid_threads() / fft_block_bins;
    for (std::int64_t first = place.index - of_warp; first < steps.count;
         first += copy_batch * step) {
        double2 pairs[copy_batch];
        RowPlace places[copy_batch];
#pragma unroll
        for (int i = 0; i < copy_batch; ++i) {
            places[i] = place;
            const std::int64_t block = place.index < steps.count ? place.index : 0;
            pairs[i] = *reinterpret_cast<const double2*>(lines + block * 2 * fft_block_bins);
            place = steps.next(place);
        }
#pragma unroll
        for (int i = 0; i < copy_batch; ++i) {
            const double2 value = with_partner(pairs[i], upper);
            const std::int64_t first_bin = places[i].row * fft_block_bins;
            if (places[i].index < steps.count && first_bin + bin_of_block < shape.bins)
                target[first_bin * shape.tiles + places[i].column] = value;
        }
    }
}

// Goes by squares of 32 x 32 in shared memory, so that both sides are runs. A column more in each
// row of the square keeps its columns on different banks.
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
    natural_order(NaturalOrderShape shape, RowSteps steps, const double2* part, double2* bins) {
    // A row has one bin of each column.
    RowPlace place = steps.begin(shape.before + grid_thread());
    const std::int64_t end = shape.before + shape.count;
    double2* target = bins + shape.first_column - shape.first_bin;
    while (place.index < end) {
        double2 values[copy_batch];
        RowPlace places[copy_batch];
#pragma unroll
        for (int i = 0; i < copy_batch; ++i) {
            places[i] = place;
            values[i] = part[(place.index < end ? place.index : end - 1) - shape.before];
            place = steps.next(place);
        }
#pragma unroll
        for (int i = 0; i < copy_batch; ++i)
            if (places[i].index < end)
                target[places[i].row * shape.length + places[i].column] = values[i];
    }
}

__global__ void __launch_bounds__(block_threads)
    multiply_by_twiddles(TwiddledBins shape, Twiddles twiddles, double2* points) {
    multiply_runs(
        shape, twiddles,
        [&](std::int64_t tile, std::int64_t bin) { return points[tile * shape.bins + bin]; },
        [&](std::int64_t tile, std::int64_t bin, double2 value) {
            points[tile * shape.bins + bin] = value;
        });
}

}  // namespace

void launch_pack(const PackShape& shape, const Twiddles& twiddles, const double2* transformed,
                 double* part, cudaStream_t stream) {
    const TwiddledBins bins = in_runs(shape.tiles, shape.bins, shape.first_tile, shape.first_bin);
    if (shape.tiles * shape.bins > 0)
        pack<<<bins.grid_size(), block_threads, 0, stream>>>(shape, bins, twiddles, transformed,
                                                             part);
}

void launch_unpack(const UnpackShape& shape, const double* part, double2* columns,
                   cudaStream_t stream) {
    const std::int64_t blocks = divide_up(shape.bins, fft_block_bins) * shape.part_tiles;
    if (blocks == 0)
        return;
    const unsigned grid = copy_grid(blocks * fft_block_bins);
    const RowSteps steps = row_steps(blocks, shape.part_tiles, threads_of(grid) / fft_block_bins);
    unpack<<<grid, block_threads, 0, stream>>>(shape, steps, part, columns);
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
    if (shape.count == 0)
        return;
    const unsigned grid = copy_grid(shape.count);
    const RowSteps steps = row_steps(shape.count, shape.columns, threads_of(grid));
    natural_order<<<grid, block_threads, 0, stream>>>(shape, steps, part, bins);
}

void launch_twiddles(std::int64_t tiles, std::int64_t length, const Twiddles& twiddles,
                     double2* points, cudaStream_t stream) {
    const TwiddledBins shape = in_runs(tiles, length, 0, 0);
    multiply_by_twiddles<<<shape.grid_size(), block_threads, 0, stream>>>(shape, twiddles, points);
}

cudaError_t load_four_step_kernels() {
    return loaded(pack, unpack, transpose, natural_order, multiply_by_twiddles);
}

}  // namespace quartet::fft

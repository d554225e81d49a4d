#include <cuda_pipeline_primitives.h>

#include <cmath>
#include <cstddef>

#include "device/cuda/runtime/dependent_launch.cuh"
#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

using namespace device;

namespace {

/// Transforms of 8 and 16 points in a thread's registers, by radix-2 steps of fused multiply-adds.

__device__ double2 complex_product(double2 a, double2 b) {
    return {fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x)};
}
__device__ double2 complex_square(double2 a) {
    return {fma(a.x, a.x, -(a.y * a.y)), (a.x + a.x) * a.y};
}

/// a + t b and a - t b.
__device__ void butterfly(double2& a, double2& b, double2 t) {
    const double2 sum{fma(-t.y, b.y, fma(t.x, b.x, a.x)), fma(t.y, b.x, fma(t.x, b.y, a.y))};
    b = {fma(2.0, a.x, -sum.x), fma(2.0, a.y, -sum.y)};
    a = sum;
}
/// With t = 1.
__device__ void butterfly(double2& a, double2& b) {
    const double2 old = b;
    b = {a.x - old.x, a.y - old.y};
    a = {a.x + old.x, a.y + old.y};
}
/// With t = -i.
__device__ void butterfly_minus_i(double2& a, double2& b) {
    const double2 old = b;
    b = {a.x - old.y, a.y + old.x};
    a = {a.x + old.y, a.y - old.x};
}

constexpr double cos_quarter = 0.70710678118654752440;  ///< of pi / 4
constexpr double cos_eighth = 0.92387953251128675613;   ///< of pi / 8
constexpr double sin_eighth = 0.38268343236508977173;

/// The number whose bits are those of `number` in reverse, three or four for a radix of 8 or 16.
template <int radix>
constexpr int reversed_bits(int number) {
    const int of_three = (number & 1) << 2 | (number & 2) | (number & 4) >> 2;
    return radix == 8 ? of_three : of_three << 1 | number >> 3;
}

template <int radix>
__device__ void reverse_order(double2* points) {
    double2 old[radix];
#pragma unroll
    for (int i = 0; i < radix; ++i)
        old[i] = points[i];
#pragma unroll
    for (int i = 0; i < radix; ++i)
        points[i] = old[reversed_bits<radix>(i)];
}

/// The steps without factors of `radix` points in reversed order.
template <int radix>
__device__ void plain_steps(double2* u) {
#pragma unroll
    for (int b = 0; b < radix; b += 2)
        butterfly(u[b], u[b + 1]);
#pragma unroll
    for (int b = 0; b < radix; b += 4) {
        butterfly(u[b], u[b + 2]);
        butterfly_minus_i(u[b + 1], u[b + 3]);
    }
#pragma unroll
    for (int b = 0; b < radix; b += 8) {
        butterfly(u[b], u[b + 4]);
        butterfly(u[b + 1], u[b + 5], {cos_quarter, -cos_quarter});
        butterfly_minus_i(u[b + 2], u[b + 6]);
        butterfly(u[b + 3], u[b + 7], {-cos_quarter, -cos_quarter});
    }
    if constexpr (radix == 16) {
        butterfly(u[0], u[8]);
        butterfly(u[1], u[9], {cos_eighth, -sin_eighth});
        butterfly(u[2], u[10], {cos_quarter, -cos_quarter});
        butterfly(u[3], u[11], {sin_eighth, -cos_eighth});
        butterfly_minus_i(u[4], u[12]);
        butterfly(u[5], u[13], {-sin_eighth, -cos_eighth});
        butterfly(u[6], u[14], {-cos_quarter, -cos_quarter});
        butterfly(u[7], u[15], {-cos_eighth, -sin_eighth});
    }
}

/// One step between points that are `half` apart, with the factors t exp(-2 pi i k / (2 half)); the
/// first half of them is given, the others are those times -i.
template <int radix, int half, int given>
__device__ void step_with_factors(double2* u, const double2 (&t)[given]) {
#pragma unroll
    for (int b = 0; b < radix; b += 2 * half) {
#pragma unroll
        for (int k = 0; k < half; ++k) {
            if (half == 1 || k < half / 2)
                butterfly(u[b + k], u[b + k + half], t[k]);
            else
                butterfly(u[b + k], u[b + k + half], {t[k - half / 2].y, -t[k - half / 2].x});
        }
    }
}

/// Times exp(-pi i / 4).
__device__ double2 turned_by_eighth(double2 a) {
    return {(a.x + a.y) * cos_quarter, (a.y - a.x) * cos_quarter};
}

/// v_k becomes the sum over n of v_n w^n exp(-2 pi i n k / radix).
template <int radix>
__device__ void transform_points(double2* v) {
    reverse_order<radix>(v);
    plain_steps<radix>(v);
}
template <int radix>
__device__ void transform_points(double2* v, double2 w, double2 w_to_4) {
    reverse_order<radix>(v);
    const double2 w_to_2 = complex_square(w);
    if constexpr (radix == 16) {
        step_with_factors<radix, 1>(v, {complex_square(w_to_4)});
        step_with_factors<radix, 2>(v, {w_to_4});
        step_with_factors<radix, 4>(v, {w_to_2, turned_by_eighth(w_to_2)});
        step_with_factors<radix, 8>(
            v, {w, complex_product(w, {cos_eighth, -sin_eighth}), turned_by_eighth(w),
                complex_product(w, {sin_eighth, -cos_eighth})});
    } else {
        step_with_factors<radix, 1>(v, {w_to_4});
        step_with_factors<radix, 2>(v, {w_to_2});
        step_with_factors<radix, 4>(v, {w, turned_by_eighth(w)});
    }
}

/// What a block works on, and how: 2 or 3 stages of radix 8 or 16, each in the registers of the
/// threads, with an exchange through shared memory between two stages. With lengths M_s = length /
/// (R_0 .. R_s) a point is n = n_0 M_0 + n_1 M_1 + n_2, a result k = k_0 + R_0 k_1 + R_0 R_1 k_2.
template <FftLines lines, int log_length_, int log_width_>
struct Tile {
    static constexpr int log_length = log_length_;
    static constexpr int log_width = log_width_;
    static constexpr int length = 1 << log_length;
    static constexpr int width = 1 << log_width;
    static constexpr bool reads_rows = lines == FftLines::rows;
    static constexpr bool has_factors = lines != FftLines::columns;
    static constexpr bool own_factors = reads_rows || lines == FftLines::columns_of_own_rows;

    static constexpr int values = 16;  // of a thread
    static constexpr int threads = length * width / values;
    static constexpr int blocks =
        512 / threads;  // of a multiprocessor, with 128 registers a thread
    static constexpr int stages = log_length <= 8 ? 2 : 3;
    static constexpr int last = stages - 1;

    static constexpr int log_radix(int stage) {
        if (stage == 0)
            return log_length == 8 || log_length >= 11 ? 4 : 3;
        if (stage == last)
            return log_length == 6 || log_length == 9 ? 3 : 4;
        return log_length == 12 ? 4 : 3;
    }
    static constexpr int radix(int stage) { return 1 << log_radix(stage); }
    static constexpr int groups(int stage) { return values / radix(stage); }
    /// Of R_0 .. R_stage, and of what is left of the length after them.
    static constexpr int log_done(int stage) {
        return stage < 0 ? 0 : log_done(stage - 1) + log_radix(stage);
    }
    static constexpr int log_left(int stage) { return log_length - log_done(stage); }

    // Where doubles lie in the exchanges, so that a warp's fall on different banks: every
    // R_last columns are followed by a free one; rows have strides of their own.
    static constexpr int last_radix = radix(last);
    static constexpr int first_stride =
        (1 << log_left(0)) + (stages == 3 && last_radix < 16 ? last_radix : 0);
    static constexpr int first_row_stride = radix(0) * first_stride;
    static constexpr int last_row_unaligned = (length / last_radix) * (last_radix + 1);
    static constexpr int last_row_stride =
        last_row_unaligned + ((16 / width - last_row_unaligned) & 15);
    static constexpr int exchanged =
        reads_rows
            ? width * (first_row_stride > last_row_stride ? first_row_stride : last_row_stride)
            : length * width + length * width / last_radix;

    static constexpr int factor_rows = own_factors ? width : 1;
    static constexpr int factors = 2 * stages * factor_rows;

    // Shared memory: the next tile's points, the exchange, and factors of this tile and the next.
    static constexpr int points = threads * values;
    static constexpr std::size_t shared_bytes =
        sizeof(double2) * points + sizeof(double) * exchanged + sizeof(double2) * 2 * factors;
    static_assert(log_done(last) == log_length && exchanged % 2 == 0);
};

/// A butterfly of a stage: its transform, the results' digits so far, and n below the stage's.
struct Place {
    int line;
    int digits;
    int rest;
};

template <typename Tile, int stage>
__device__ Place place_of(int number) {
    constexpr int left = Tile::log_left(stage);
    if constexpr (Tile::reads_rows && stage < Tile::last) {
        const int above = number >> left;
        constexpr int done = Tile::log_done(stage - 1);
        return {above >> done, above & ((1 << done) - 1), number & ((1 << left) - 1)};
    } else {
        const int above = number >> Tile::log_width;
        return {number & (Tile::width - 1), above >> left, above & ((1 << left) - 1)};
    }
}

/// k_0 + R_0 k_1 of digits that lie as k_0 R_1 + k_1.
template <typename Tile, int stage>
__device__ int result_of(int digits) {
    if constexpr (stage == 2)
        return (digits >> Tile::log_radix(1)) +
               ((digits & (Tile::radix(1) - 1)) << Tile::log_radix(0));
    return digits;
}

template <typename Tile>
__device__ int padded(int column) {
    return column +
           ((column >> (Tile::log_radix(Tile::last) + Tile::log_width)) << Tile::log_width);
}

template <typename Tile, int stage>
constexpr int column_stride() {
    constexpr int left = 1 << Tile::log_left(stage);
    return (left + left / Tile::last_radix) * Tile::width;
}
template <typename Tile, int stage>
__device__ int column_place(Place place) {
    const int point =
        (place.digits << (Tile::log_radix(stage) + Tile::log_left(stage))) + place.rest;
    return padded<Tile>((point << Tile::log_width) + place.line);
}

/// Value j that a stage leaves for the next is at written_at + j write_stride.
template <typename Tile, int stage>
__device__ int written_at(Place place) {
    if constexpr (!Tile::reads_rows)
        return column_place<Tile, stage>(place);
    else if constexpr (stage == Tile::last - 1)
        return place.line * Tile::last_row_stride +
               (place.digits << Tile::log_radix(stage)) * (Tile::last_radix + 1) + place.rest;
    else
        return place.line * Tile::first_row_stride + place.rest;
}
template <typename Tile, int stage>
constexpr int write_stride() {
    if constexpr (!Tile::reads_rows)
        return column_stride<Tile, stage>();
    return stage == Tile::last - 1 ? Tile::last_radix + 1 : Tile::first_stride;
}

/// Value j that a stage takes from the one before is at read_at + j read_stride.
template <typename Tile, int stage>
__device__ int read_at(Place place) {
    if constexpr (!Tile::reads_rows)
        return column_place<Tile, stage>(place);
    else if constexpr (stage == Tile::last)
        return place.line * Tile::last_row_stride + place.digits * (Tile::last_radix + 1);
    else
        return place.line * Tile::first_row_stride + place.digits * Tile::first_stride + place.rest;
}
template <typename Tile, int stage>
constexpr int read_stride() {
    if constexpr (Tile::reads_rows)
        return stage == Tile::last ? 1 : 1 << Tile::log_left(stage);
    return stage == Tile::last ? Tile::width : column_stride<Tile, stage>();
}

/// The 16 values of a thread.
using Values = double2[16];

template <typename Tile, int stage>
__device__ void write(const Values& values, double double2::*part, double* exchange) {
    constexpr int radix = Tile::radix(stage);
#pragma unroll
    for (int group = 0; group < Tile::groups(stage); ++group) {
        const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
        double* to = exchange + written_at<Tile, stage>(place_of<Tile, stage>(number));
#pragma unroll
        for (int j = 0; j < radix; ++j)
            to[j * write_stride<Tile, stage>()] = values[group * radix + j].*part;
    }
}
template <typename Tile, int stage>
__device__ void read(Values& values, double double2::*part, const double* exchange) {
    constexpr int radix = Tile::radix(stage);
#pragma unroll
    for (int group = 0; group < Tile::groups(stage); ++group) {
        const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
        const double* from = exchange + read_at<Tile, stage>(place_of<Tile, stage>(number));
#pragma unroll
        for (int j = 0; j < radix; ++j)
            values[group * radix + j].*part = from[j * read_stride<Tile, stage>()];
    }
}

/// From one stage to the next, real parts first: half the shared memory. All threads have read what
/// the exchange held before.
template <typename Tile, int stage>
__device__ void exchange_values(Values& values, double* exchange) {
    write<Tile, stage>(values, &double2::x, exchange);
    __syncthreads();
    read<Tile, stage + 1>(values, &double2::x, exchange);
    __syncthreads();
    write<Tile, stage>(values, &double2::y, exchange);
    __syncthreads();
    read<Tile, stage + 1>(values, &double2::y, exchange);
}

/// Powers of the roots that a stage multiplies by, w and w^4 for each butterfly of a thread.
struct StageRoots {
    double2 w[2];
    double2 w_to_4[2];
};

template <typename Tile, int stage>
__device__ void load_roots(StageRoots& roots, const double2* table) {
    constexpr int done = Tile::log_done(stage);
#pragma unroll
    for (int group = 0; group < Tile::groups(stage); ++group) {
        const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
        const int j = result_of<Tile, stage>(place_of<Tile, stage>(number).digits);
        roots.w[group] = __ldg(table + (1 << done) + j);
        roots.w_to_4[group] = __ldg(table + (1 << (done - 2)) + (j & ((1 << (done - 2)) - 1)));
    }
}

template <typename Tile, int stage>
__device__ void transform(Values& values, const StageRoots& roots, const double2* factors) {
    constexpr int radix = Tile::radix(stage);
#pragma unroll
    for (int group = 0; group < Tile::groups(stage); ++group) {
        double2* points = values + group * radix;
        if constexpr (stage == 0 && !Tile::has_factors) {
            transform_points<radix>(points);
        } else {
            const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
            const int line = Tile::own_factors ? place_of<Tile, stage>(number).line : 0;
            const double2* of_line = factors + 2 * stage * Tile::factor_rows + line;
            double2 w{};
            double2 w_to_4{};
            if constexpr (stage == 0) {
                w = of_line[0];
                w_to_4 = of_line[Tile::factor_rows];
            } else {
                w = roots.w[group];
                w_to_4 = roots.w_to_4[group];
                if constexpr (Tile::has_factors) {
                    w = complex_product(w, of_line[0]);
                    w_to_4 = complex_product(w_to_4, of_line[Tile::factor_rows]);
                }
            }
            transform_points<radix>(points, w, w_to_4);
        }
    }
}

struct TilePlace {
    std::int64_t low;
    std::int64_t high;
};
__device__ TilePlace tile_place(const FftPass& pass, std::int64_t tile) {
    return {tile & ((std::int64_t{1} << pass.low_bits) - 1), tile >> pass.low_bits};
}

/// The factors of a tile: a stage's are powers of one number for each row, and so become part of
/// the stage's roots.
template <typename Tile>
__device__ void write_factors(const FftPass& pass, std::int64_t tile, double2* factors) {
    const int i = static_cast<int>(threadIdx.x);
    if (!Tile::has_factors || i >= Tile::factors)
        return;
    const auto [low, high] = tile_place(pass, tile);
    const int kind = i / Tile::factor_rows;  // w and w^4 of each stage
    std::int64_t row = pass.first_row + high * pass.row_step;
    if constexpr (Tile::own_factors)
        row += (low << Tile::log_width) + i % Tile::factor_rows;
    const int done = kind < 2 ? Tile::log_done(0) : kind < 4 ? Tile::log_done(1) : Tile::log_length;
    const int order = pass.log_order + done - kind % 2 * 2;
    double sine = 0;
    double cosine = 0;
    sincospi(scalbn(static_cast<double>(row), 1 - order), &sine, &cosine);
    factors[i] = {cosine, -sine};
}

/// Begins to copy a tile's points to shared memory. Each thread copies what it will read itself.
template <typename Tile>
__device__ void begin_copy(const FftPass& pass, std::int64_t tile, double2* points) {
    constexpr int radix = Tile::radix(0);
    const auto [low, high] = tile_place(pass, tile);
    const double2* from = pass.from + low * pass.read.low + high * pass.read.high;
    const std::int64_t line_step = Tile::reads_rows ? pass.read.point : 1;
    const std::int64_t point_step = Tile::reads_rows ? 1 : pass.read.point;
#pragma unroll
    for (int group = 0; group < Tile::groups(0); ++group) {
        const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
        const Place place = place_of<Tile, 0>(number);
        const double2* first = from + place.line * line_step + place.rest * point_step;
#pragma unroll
        for (int j = 0; j < radix; ++j)
            __pipeline_memcpy_async(points + (group * radix + j) * Tile::threads + threadIdx.x,
                                    first + j * (point_step << Tile::log_left(0)), sizeof(double2));
    }
    __pipeline_commit();
}

template <typename Tile>
__device__ void write_results(const FftPass& pass, std::int64_t tile, const Values& values) {
    constexpr int radix = Tile::last_radix;
    const auto [low, high] = tile_place(pass, tile);
    double2* to = pass.to + low * pass.write.low + high * pass.write.high;
#pragma unroll
    for (int group = 0; group < Tile::groups(Tile::last); ++group) {
        const int number = static_cast<int>(threadIdx.x) + group * Tile::threads;
        const Place place = place_of<Tile, Tile::last>(number);
        double2* first =
            to + result_of<Tile, Tile::last>(place.digits) * pass.write.point + place.line;
#pragma unroll
        for (int j = 0; j < radix; ++j)
            first[j * (pass.write.point * (Tile::length / radix))] = values[group * radix + j];
    }
}

// A block goes from tile to tile: while it transforms one, the next is copied.
template <FftLines lines, int log_length, int log_width>
__global__ void __launch_bounds__((Tile<lines, log_length, log_width>::threads),
                                  (Tile<lines, log_length, log_width>::blocks))
    fft_pass(const FftPass pass) {
    using Tile = Tile<lines, log_length, log_width>;
    extern __shared__ double2 shared[];
    auto* exchange = reinterpret_cast<double*>(shared + Tile::points);
    auto* factors = reinterpret_cast<double2*>(exchange + Tile::exchanged);
    double2* next_factors = factors + Tile::factors;
    let_next_kernel_start();
    write_factors<Tile>(pass, blockIdx.x, factors);
    wait_for_last_kernel();
    begin_copy<Tile>(pass, blockIdx.x, shared);
    for (std::int64_t tile = blockIdx.x; tile < pass.tiles; tile += gridDim.x) {
        Values values;
        StageRoots roots;
        __pipeline_wait_prior(0);
#pragma unroll
        for (int i = 0; i < Tile::values; ++i)
            values[i] = shared[i * Tile::threads + threadIdx.x];
        const std::int64_t next = tile + gridDim.x;
        if (next < pass.tiles)
            begin_copy<Tile>(pass, next, shared);
        __syncthreads();  // the factors are there, and the last tile's exchange has been read
        transform<Tile, 0>(values, roots, factors);
        load_roots<Tile, 1>(roots, pass.roots);
        exchange_values<Tile, 0>(values, exchange);
        transform<Tile, 1>(values, roots, factors);
        if constexpr (Tile::stages == 3) {
            load_roots<Tile, 2>(roots, pass.roots);
            __syncthreads();
            exchange_values<Tile, 1>(values, exchange);
            transform<Tile, 2>(values, roots, factors);
        }
        write_results<Tile>(pass, tile, values);
        double2* const read_by_others = factors;
        factors = next_factors;
        next_factors = read_by_others;
        if (next < pass.tiles)
            write_factors<Tile>(pass, next, factors);
    }
}

struct Kernel {
    FftPassShape shape;
    void (*run)(FftPass);
    int threads;
    int blocks;
    std::size_t shared_bytes;
};

template <FftLines lines, int log_length, int log_width>
constexpr Kernel made() {
    using Tile = Tile<lines, log_length, log_width>;
    return {{lines, log_length, log_width},
            fft_pass<lines, log_length, log_width>,
            Tile::threads,
            Tile::blocks,
            Tile::shared_bytes};
}

// The kernels of which transforms are made (passes.cpp).
const Kernel kernels[] = {
    made<FftLines::columns, 8, 4>(),
    made<FftLines::columns, 9, 4>(),
    made<FftLines::columns, 10, 3>(),
    made<FftLines::columns, 11, 2>(),
    made<FftLines::columns_of_one_row, 8, 4>(),
    made<FftLines::columns_of_one_row, 9, 4>(),
    made<FftLines::columns_of_one_row, 10, 3>(),
    made<FftLines::columns_of_own_rows, 6, 4>(),
    made<FftLines::columns_of_own_rows, 7, 4>(),
    made<FftLines::columns_of_own_rows, 8, 4>(),
    made<FftLines::columns_of_own_rows, 9, 4>(),
    made<FftLines::columns_of_own_rows, 10, 3>(),
    made<FftLines::columns_of_own_rows, 11, 2>(),
    made<FftLines::columns_of_own_rows, 12, 1>(),
    made<FftLines::rows, 8, 4>(),
    made<FftLines::rows, 9, 4>(),
    made<FftLines::rows, 10, 3>(),
    made<FftLines::rows, 11, 2>(),
    made<FftLines::rows, 12, 1>(),
};

const Kernel* kernel_of(const FftPassShape& shape) {
    for (const Kernel& each : kernels)
        if (each.shape == shape)
            return &each;
    return nullptr;
}

}  // namespace

bool has_fft_pass(const FftPassShape& shape) {
    return kernel_of(shape) != nullptr;
}

void launch_fft_pass(const FftPassShape& shape, const FftPass& pass, int multiprocessors,
                     cudaStream_t stream) {
    const Kernel* kernel = kernel_of(shape);
    if (kernel == nullptr)
        return;
    const std::int64_t blocks =
        between(pass.tiles, 1, std::int64_t{kernel->blocks} * multiprocessors);
    launch_dependent(kernel->run, {blocks, kernel->threads, kernel->shared_bytes}, stream, pass);
}

bool has_fft_passes() {
    int gpu = 0;
    int most = 0;
    cudaGetDevice(&gpu);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu);
    for (const Kernel& each : kernels)
        if (each.shared_bytes > static_cast<std::size_t>(most))
            return false;
    return true;
}

cudaError_t load_fft_pass_kernels() {
    if (!has_fft_passes())
        return cudaSuccess;
    for (const Kernel& each : kernels) {
        const auto* kernel = reinterpret_cast<const void*>(each.run);
        const cudaError_t status =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(each.shared_bytes));
        if (status != cudaSuccess)
            return status;
    }
    return cudaSuccess;
}

}  // namespace quartet::fft

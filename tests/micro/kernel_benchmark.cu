// The GPU kernels alone, beside cudaMemcpy and cuBLAS, without MPI, CMake or any other library:
// what the first three minutes on a new GPU can tell. Each kernel's result is checked first, then
// it is timed.
//
//   nvcc -std=c++20 -O3 --expt-relaxed-constexpr --extended-lambda -arch=sm_90 -I . -I common \
//       tests/micro/kernel_benchmark.cu common/device/cuda/{peak,vectors}/*.cu cg/cuda/*.cu \
//       fft/cuda/{four_step,passes}.cu fft/cuda/passes.cpp -lcublas -lcufft -o kernel_benchmark &&
//       ./kernel_benchmark
//
// Rates count each array that is read or written once. Arguments name some of vectors, products,
// transforms and ffts. Exit code: 1 for a wrong result, 2 for an unknown argument,
// 3 for an error of CUDA.

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cg/cuda/kernels.hpp"
#include "core/block_range.hpp"
#include "device/cuda/runtime/grid.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"
#include "fft/cuda/kernels.hpp"

namespace quartet::device {
namespace {

using namespace cg;
using namespace fft;

constexpr int threads = 256;

void require(cudaError_t status, const char* what) {
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(3);
}

void require(cublasStatus_t status, const char* what) {
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    std::fprintf(stderr, "%s: cuBLAS status %d\n", what, static_cast<int>(status));
    std::exit(3);
}

/// An array in the GPU's memory.
template <typename T>
class Array {
  public:
    explicit Array(std::int64_t size) : size_(size) {
        require(cudaMalloc(&data_,
                           static_cast<std::size_t>(std::max<std::int64_t>(size, 1)) * sizeof(T)),
                "cudaMalloc");
    }
    explicit Array(const std::vector<T>& values) : Array(static_cast<std::int64_t>(values.size())) {
        require(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
                "cudaMemcpy");
    }
    ~Array() { cudaFree(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    T* data() const { return data_; }
    std::int64_t size() const { return size_; }

  private:
    T* data_ = nullptr;
    std::int64_t size_;
};

/// A number in [-1, 1) for each index of each array: a hash, so that all can be computed again
/// anywhere.
__host__ __device__ double number(std::int64_t index, int array) {
    std::uint64_t bits = static_cast<std::uint64_t>(index) * 8 + static_cast<std::uint64_t>(array);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

/// The element of a symmetric matrix whose eigenvalues lie between about 2 and 4: an iteration of
/// conjugate gradients makes the residual smaller by a factor of about 0.2.
__host__ __device__ double symmetric(std::int64_t row, std::int64_t column, std::int64_t size) {
    if (row == column)
        return 3;
    const std::int64_t place = row < column ? row * size + column : column * size + row;
    return number(place, 3) / sqrt(static_cast<double>(size));
}

/// An error for check(): none if the bits are equal, too much else.
__device__ double unlike(double found, double wanted) {
    return found == wanted ? 0 : 2;
}

/// The same of a point, whose parts are numbers of two arrays.
__device__ double unlike(double2 found, std::int64_t point) {
    return fmax(unlike(found.x, number(point, 0)), unlike(found.y, number(point, 1)));
}

template <typename Body>
__global__ void for_each(std::int64_t count, Body body) {
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
         i += std::int64_t{gridDim.x} * blockDim.x)
        body(i);
}

/// The largest of error(i), which is NaN if one of them is.
template <typename Error>
__global__ void largest_error(std::int64_t count, Error error, unsigned long long* most) {
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        // Bits of numbers that are not negative are ordered as the numbers are; NaN's are above.
        const double of_this = fabs(error(i));
        atomicMax(most, static_cast<unsigned long long>(__double_as_longlong(of_this)));
    }
}

/// One warp for each row: out[row] = sum of element(row, column) x[column], magnitudes beside it.
template <typename Element>
__global__ void plain_product(std::int64_t size, Element element, const double* x, double2* out) {
    const std::int64_t row = (blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x) / 32;
    if (row >= size)
        return;
    double2 sum{};
    for (std::int64_t column = threadIdx.x % 32; column < size; column += 32) {
        const double term = element(row, column) * x[column];
        sum.x += term;
        sum.y += fabs(term);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum.x += __shfl_xor_sync(0xffffffff, sum.x, offset);
        sum.y += __shfl_xor_sync(0xffffffff, sum.y, offset);
    }
    if (threadIdx.x % 32 == 0)
        out[row] = sum;
}

/// Reads all pairs, whose sums each warp leaves: what reading alone takes.
__global__ void __launch_bounds__(512)
    read_pairs(const double2* pairs, std::int64_t count, double* sums) {
    constexpr int depth = 8;
    const std::int64_t step = std::int64_t{gridDim.x} * 512;
    double sum = 0;
    std::int64_t i = blockIdx.x * std::int64_t{512} + threadIdx.x;
    for (; i + (depth - 1) * step < count; i += depth * step) {
        double2 read[depth];
        for (int d = 0; d < depth; ++d)
            read[d] = __ldcs(pairs + i + d * step);
        for (int d = 0; d < depth; ++d)
            sum += read[d].x + read[d].y;
    }
    for (; i < count; i += step)
        sum += pairs[i].x + pairs[i].y;
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
    if (threadIdx.x % 32 == 0)
        sums[(blockIdx.x * 512 + threadIdx.x) / 32] = sum;
}

/// What is launched by `enqueue`, to be launched again.
class Graph {
  public:
    Graph(cudaStream_t stream, const std::function<void()>& enqueue) {
        require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a capture");
        enqueue();
        cudaGraph_t graph = nullptr;
        require(cudaStreamEndCapture(stream, &graph), "a capture");
        require(cudaGraphInstantiate(&executable_, graph, 0), "a graph");
        require(cudaGraphDestroy(graph), "a graph");
    }
    ~Graph() { cudaGraphExecDestroy(executable_); }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    void launch(cudaStream_t stream) const {
        require(cudaGraphLaunch(executable_, stream), "a graph");
    }

  private:
    cudaGraphExec_t executable_ = nullptr;
};

class Bench {
  public:
    Bench() {
        require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
        require(cudaEventCreate(&begin_), "an event");
        require(cudaEventCreate(&end_), "an event");
    }
    ~Bench() {
        cudaEventDestroy(end_);
        cudaEventDestroy(begin_);
        cudaStreamDestroy(stream);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    template <typename Body>
    void fill(std::int64_t count, Body body) {
        for_each<<<4096, threads, 0, stream>>>(count, body);
        require(cudaGetLastError(), "filling");
    }

    /// Compares what the last call left: |error(i)| <= 1 for all i.
    template <typename Error>
    void check(const std::string& what, std::int64_t count, Error error) {
        const Array<unsigned long long> most(std::vector<unsigned long long>{0});
        largest_error<<<4096, threads, 0, stream>>>(count, error, most.data());
        require(cudaStreamSynchronize(stream), what.c_str());
        double largest = 0;
        require(cudaMemcpy(&largest, most.data(), sizeof largest, cudaMemcpyDeviceToHost),
                what.c_str());
        verdict_ = largest <= 1 ? "ok" : "WRONG";
        wrong_ = wrong_ || !(largest <= 1);
    }

    /// Prints the median of seven times for `calls` calls that do it `times` each, and the check's
    /// verdict.
    void rate(const std::string& what, double bytes, const std::function<void()>& call,
              int calls = 20, int times_of_call = 1) {
        call();
        std::vector<float> times;
        for (int run = 0; run < 7; ++run) {
            require(cudaEventRecord(begin_, stream), "an event");
            for (int i = 0; i < calls; ++i)
                call();
            require(cudaEventRecord(end_, stream), "an event");
            require(cudaEventSynchronize(end_), what.c_str());
            float milliseconds = 0;
            require(cudaEventElapsedTime(&milliseconds, begin_, end_), "an event");
            times.push_back(milliseconds / static_cast<float>(calls * times_of_call));
        }
        require(cudaGetLastError(), what.c_str());
        std::ranges::sort(times);
        const auto gigabytes = [bytes](float time) { return bytes / time * 1e-6; };
        std::printf("%-28s %10.2f us %8.1f GB/s (%.1f to %.1f)  %s\n", what.c_str(), 1e3 * times[3],
                    gigabytes(times[3]), gigabytes(times[6]), gigabytes(times[0]), verdict_);
        std::fflush(stdout);
        verdict_ = "";
    }

    bool wrong() const { return wrong_; }

    cudaStream_t stream = nullptr;

  private:
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
    const char* verdict_ = "";
    bool wrong_ = false;
};

void vectors(Bench& bench, std::int64_t size) {
    const Array<double> x(size), y(size), partials(most_sum_blocks), result(8);
    double *to = y.data(), *from = x.data(), *sum = result.data();
    const auto fill = [&] {
        bench.fill(size, [=] __device__(std::int64_t i) {
            from[i] = number(i, 0);
            to[i] = number(i, 1);
        });
    };
    const auto bytes = static_cast<double>(size) * sizeof(double);

    fill();
    const auto copy = [&] {
        require(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(double),
                                cudaMemcpyDeviceToDevice, bench.stream),
                "cudaMemcpyAsync");
    };
    copy();
    bench.check("copy", size,
                [=] __device__(std::int64_t i) { return unlike(to[i], number(i, 0)); });
    bench.rate("cudaMemcpy", 2 * bytes, copy);

    fill();
    const auto dot_check = [&](int second) {
        // In another order, and only as exact as a million additions to one number are. One product
        // too few or too many would still show.
        const Array<double> plain(2);
        double* plainly = plain.data();
        bench.fill(1, [=] __device__(std::int64_t) { plainly[0] = plainly[1] = 0; });
        bench.fill(std::min<std::int64_t>(size, 4096 * threads),
                   [=] __device__(std::int64_t first) {
                       double own = 0;
                       for (std::int64_t i = first; i < size; i += std::int64_t{4096} * threads)
                           own += number(i, 0) * number(i, second);
                       atomicAdd(plainly, own);
                   });
        bench.check("dot", 1, [=] __device__(std::int64_t) {
            return (sum[0] - plainly[0]) / (1e-12 * static_cast<double>(size));
        });
    };
    const auto dot_self = [&] { launch_dot(from, from, size, partials.data(), sum, bench.stream); };
    dot_self();
    dot_check(0);
    bench.rate("dot(x, x), the read limit", bytes, dot_self);
    const auto dot = [&] { launch_dot(from, to, size, partials.data(), sum, bench.stream); };
    dot();
    dot_check(1);
    bench.rate("dot(x, y)", 2 * bytes, dot);

    const auto axpy = [&] { launch_axpy(0.5, from, to, size, bench.stream); };
    axpy();
    bench.check("axpy", size, [=] __device__(std::int64_t i) {
        return (to[i] - (0.5 * number(i, 0) + number(i, 1))) / 1e-15;
    });
    bench.rate("axpy", 3 * bytes, axpy);

    auto* floats = reinterpret_cast<float*>(from);
    auto* float_target = reinterpret_cast<float*>(to);
    bench.fill(2 * size, [=] __device__(std::int64_t i) {
        floats[i] = static_cast<float>(number(i, 0));
        float_target[i] = static_cast<float>(number(i, 1));
    });
    const auto add = [&] { launch_add(floats, float_target, 2 * size, bench.stream); };
    add();
    bench.check("add", 2 * size, [=] __device__(std::int64_t i) {
        const double sum_of_floats = static_cast<double>(static_cast<float>(number(i, 0))) +
                                     static_cast<double>(static_cast<float>(number(i, 1)));
        return (float_target[i] - sum_of_floats) / 2e-7;
    });
    bench.rate("add, float", 3 * bytes, add);
}

/// A triangle of one part, as TriangleLayout lays it out; size: a multiple of 128.
struct Triangle {
    Triangle(std::int64_t n, std::int64_t most_blocks) {
        const std::int64_t count = n / triangle_tile;
        for (std::int64_t p = 0; p <= count; ++p) {
            const std::int64_t stride = n - triangle_tile * p;
            panels_above.push_back(p);
            panels.push_back({triangle_tile * p, elements, stride, tiles});
            elements += triangle_tile * stride;
            tiles += stride / triangle_tile;
        }
        const std::int64_t blocks = std::min(tiles, most_blocks);
        std::int64_t panel = 0;
        for (std::int64_t b = 0; b <= blocks; ++b) {
            const std::int64_t tile = tiles * b / blocks;
            while (panel < count && panels[panel + 1].first_tile <= tile)
                ++panel;
            work.push_back({tile, panel});
        }
    }

    std::int64_t elements = 0;
    std::int64_t tiles = 0;
    std::vector<TrianglePanel> panels;
    std::vector<TriangleBlock> work;
    std::vector<std::int64_t> panels_above;
};

using LaunchProduct = std::function<void(const DirectionOnGpu&)>;
using LaunchUpdate = std::function<void(const UpdateOnGpu&)>;

/// Iterations of one way to multiply, as a device that keeps the scalars makes them: eight are
/// checked, then graphs of 16 are timed.
void iterations(Bench& bench, const std::string& what, std::int64_t n, double bytes,
                const LaunchProduct& product, const LaunchUpdate& update, PartialSums curvature) {
    const Array<double> p(n), x(n), r(n), sums(most_sum_blocks);
    constexpr int times = 16;
    constexpr std::int64_t most = 1 << 16;
    const Array<double> history(most);
    double *direction = p.data(), *solution = x.data(), *residual = r.data();
    bench.fill(n, [=] __device__(std::int64_t i) {
        direction[i] = residual[i] = number(i, 0);
        solution[i] = 0;
    });
    const Array<double2> wanted(n);
    const double2* plainly = wanted.data();
    const Array<CgScalars> scalars(std::vector<CgScalars>{{}});
    CgScalars* on_gpu = scalars.data();
    bench.fill(1, [=] __device__(std::int64_t) {
        on_gpu->sum = 0;
        for (std::int64_t i = 0; i < n; ++i)
            on_gpu->sum += residual[i] * residual[i];
        on_gpu->residual_dot = on_gpu->sum;
    });
    const DirectionOnGpu next{
        direction, residual, {sums.data(), update_blocks(n)}, on_gpu, history.data()};
    const auto iterate = [&](bool is_first) {
        DirectionOnGpu of_this = next;
        if (is_first)
            of_this.scalars = nullptr;
        product(of_this);
        update({n,
                direction,
                solution,
                residual,
                sums.data(),
                {},
                curvature,
                on_gpu,
                is_first ? UpdatedDirection::as_it_is : UpdatedDirection::next});
    };
    for (int i = 0; i < 8; ++i)
        iterate(i == 0);
    plain_product<<<static_cast<unsigned>(divide_up(n * 32, threads)), threads, 0, bench.stream>>>(
        n,
        [=] __device__(std::int64_t row, std::int64_t column) { return symmetric(row, column, n); },
        solution, wanted.data());
    bench.check(what, n, [=] __device__(std::int64_t i) {
        // The residual of x up to rounding, and x is near.
        const double unlike_residual =
            (residual[i] - (number(i, 0) - plainly[i].x)) / (1e-13 * (1 + plainly[i].y));
        return fmax(fabs(unlike_residual), fabs(residual[i]) / 1e-2);
    });
    const Graph graph(bench.stream, [&] {
        for (int i = 0; i < times; ++i)
            iterate(false);
    });
    bench.rate(
        what, bytes, [&] { graph.launch(bench.stream); }, n > 8192 ? 4 : 20, times);
}

void products(Bench& bench, cublasHandle_t cublas, std::int64_t n, int multiprocessors,
              std::int64_t l2) {
    const Array<double> x(n), y(n);
    double *factor = x.data(), *found = y.data();
    bench.fill(n, [=] __device__(std::int64_t i) { factor[i] = number(i, 0); });
    const Array<double2> wanted(n);
    plain_product<<<static_cast<unsigned>(divide_up(n * 32, threads)), threads, 0, bench.stream>>>(
        n,
        [=] __device__(std::int64_t row, std::int64_t column) { return symmetric(row, column, n); },
        factor, wanted.data());
    const double2* plainly = wanted.data();
    const auto check = [&] {
        bench.check("product", n, [=] __device__(std::int64_t i) {
            // 2^-52 for each of 64 levels of additions, of the sum of magnitudes.
            return (found[i] - plainly[i].x) / (64 * 0x1p-52 * plainly[i].y);
        });
        bench.fill(n, [=] __device__(std::int64_t i) { found[i] = nan(""); });
    };
    const std::string of = " " + std::to_string(n);
    const int calls = n > 8192 ? 4 : 20;
    constexpr int times = 16;
    // Reading the same bytes again and again, as an iteration does: as much of them is in L2.
    const auto read = [&](const std::string& what, const double* elements, std::int64_t count) {
        const int blocks = 4 * multiprocessors;
        const Array<double> sums(blocks * 16);
        double* of_warps = sums.data();
        const Graph graph(bench.stream, [&] {
            for (int i = 0; i < times; ++i)
                read_pairs<<<blocks, 512, 0, bench.stream>>>(
                    reinterpret_cast<const double2*>(elements), count / 2, of_warps);
        });
        graph.launch(bench.stream);
        const Array<double> total(std::vector<double>{0});
        double* plain = total.data();
        bench.fill(threads * 4096, [=] __device__(std::int64_t first) {
            double sum = 0;
            for (std::int64_t i = first; i < count; i += std::int64_t{threads} * 4096)
                sum += elements[i];
            atomicAdd(plain, sum);
        });
        bench.check(what, 1, [=] __device__(std::int64_t) {
            double sum = 0;
            for (int i = 0; i < blocks * 16; ++i)
                sum += of_warps[i];
            return (sum - plain[0]) / (1e-12 * static_cast<double>(count));
        });
        bench.rate(
            what, static_cast<double>(count) * sizeof(double), [&] { graph.launch(bench.stream); },
            calls, times);
    };
    // As a matrix share does.
    const auto kept = [&](std::int64_t count) {
        return static_cast<int>(std::min<std::int64_t>(64, 64 * (l2 / 3) / (8 * count)));
    };
    const DirectionOnGpu as_it_is{factor, factor, {}, nullptr, nullptr};
    {
        const Array<double> matrix(n * n);
        double* a = matrix.data();
        bench.fill(n * n, [=] __device__(std::int64_t i) { a[i] = symmetric(i / n, i % n, n); });
        const auto bytes = static_cast<double>(matrix.size()) * sizeof(double);
        read("read, full" + of, a, n * n);
        const double one = 1;
        const double zero = 0;
        const auto by_cublas = [&] {
            require(cublasDgemv(cublas, CUBLAS_OP_T, static_cast<int>(n), static_cast<int>(n), &one,
                                a, static_cast<int>(n), factor, 1, &zero, found, 1),
                    "cublasDgemv");
        };
        by_cublas();
        check();
        bench.rate("cublasDgemv" + of, bytes, by_cublas, calls);
        const auto gemv = [&] { launch_gemv({a, n, n, n}, factor, found, bench.stream); };
        gemv();
        check();
        bench.rate("gemv" + of, bytes, gemv, calls);
        const std::int64_t blocks = rows_blocks_of_multiprocessor * multiprocessors;
        const Array<double> sums(n * rows_chunks(n)), curvature(blocks);
        const RowsOnGpu rows{{a, n, n, n}, 0, kept(n * n), blocks, sums.data(), curvature.data()};
        launch_product(rows, as_it_is, bench.stream);
        launch_sums(rows, found, nullptr, bench.stream);
        check();
        bench.rate(
            "product, full" + of, bytes, [&] { launch_product(rows, as_it_is, bench.stream); },
            calls);
        iterations(
            bench, "iteration, full" + of, n, bytes,
            [&](const auto& direction) { launch_product(rows, direction, bench.stream); },
            [&](const auto& update) { launch_update(rows, update, bench.stream); },
            {curvature.data(), blocks});
    }
    const Triangle layout(n, triangle_blocks_of_multiprocessor * multiprocessors);
    const Array<TrianglePanel> panels(layout.panels);
    const Array<TriangleBlock> work(layout.work);
    const Array<std::int64_t> panels_above(layout.panels_above);
    const std::int64_t blocks = work.size() - 1;
    const Array<double> elements(layout.elements), curvature(blocks),
        sums((layout.tiles + 2 * (blocks + panels.size())) * triangle_tile);
    double* element = elements.data();
    const TrianglePanel* panel = panels.data();
    bench.fill(n * n, [=] __device__(std::int64_t i) {
        const std::int64_t row = i / n;
        const TrianglePanel of_row = panel[row / triangle_tile];
        const std::int64_t place = i % n - of_row.first_row;
        if (place >= 0)
            element[of_row.offset + row % triangle_tile * of_row.stride + place] =
                symmetric(row, i % n, n);
    });
    const auto bytes = static_cast<double>(layout.elements) * sizeof(double);
    const TriangleOnGpu triangle{n,           layout.tiles,    blocks,      kept(layout.elements),
                                 element,     panel,           work.data(), panels_above.data(),
                                 sums.data(), curvature.data()};
    read("read, triangle" + of, element, layout.elements);
    launch_product(triangle, as_it_is, bench.stream);
    launch_sums(triangle, found, nullptr, bench.stream);
    check();
    bench.rate(
        "product, triangle" + of, bytes, [&] { launch_product(triangle, as_it_is, bench.stream); },
        calls);
    iterations(
        bench, "iteration, triangle" + of, n, bytes,
        [&](const auto& direction) { launch_product(triangle, direction, bench.stream); },
        [&](const auto& update) { launch_update(triangle, update, bench.stream); },
        {curvature.data(), blocks});
}

__host__ __device__ double2 power(std::int64_t exponent, std::int64_t order) {
    double2 root{};
    sincospi(-2 * static_cast<double>(exponent % order) / static_cast<double>(order), &root.y,
             &root.x);
    return root;
}

/// 0 where a point is `point` (of two arrays' numbers) times a power.
__device__ double distance(double2 found, std::int64_t point, std::int64_t exponent,
                           std::int64_t order) {
    const double2 root = power(exponent, order);
    const double re = number(point, 0), im = number(point, 1);
    return fmax(fabs(found.x - (re * root.x - im * root.y)),
                fabs(found.y - (re * root.y + im * root.x)));
}

void transforms(Bench& bench, std::int64_t tiles, std::int64_t length) {
    const std::int64_t points = tiles * length;
    const Array<double2> first(points), second(points);
    double2 *p = first.data(), *q = second.data();
    const auto fill = [&] {
        bench.fill(points, [=] __device__(std::int64_t i) {
            p[i] = {number(i, 0), number(i, 1)};
            q[i] = {nan(""), nan("")};
        });
    };
    const int shift = twiddle_shift(points);
    const Array<double2> coarse(((points - 1) >> shift) + 1), fine(std::int64_t{1} << shift);
    double2 *by_coarse = coarse.data(), *by_fine = fine.data();
    bench.fill(coarse.size(),
               [=] __device__(std::int64_t i) { by_coarse[i] = power(i << shift, points); });
    bench.fill(fine.size(), [=] __device__(std::int64_t i) { by_fine[i] = power(i, points); });
    const Twiddles twiddles{by_coarse, by_fine, shift};
    const double bytes = 2.0 * sizeof(double2) * static_cast<double>(points);

    fill();
    const auto transpose = [&] {
        launch_transpose({tiles, length, 0, length}, p, q, bench.stream);
    };
    transpose();
    bench.check("transpose", points, [=] __device__(std::int64_t i) {
        return unlike(q[i], i % length * tiles + i / length);
    });
    bench.rate("transpose", bytes, transpose);

    fill();
    auto* part = reinterpret_cast<double*>(q);
    const auto pack = [&] {
        launch_pack({tiles, length, 0, 0, tiles, 0, length}, twiddles, p, part, bench.stream);
    };
    const auto unpack = [&] { launch_unpack({0, length, 0, tiles, tiles}, part, p, bench.stream); };
    pack();
    bench.check("pack", points, [=] __device__(std::int64_t i) {
        const std::int64_t tile = i / length;
        const std::int64_t bin = i % length;
        const std::int64_t at = offset_in_part(bin, tile, tiles);
        return distance({part[at], part[at + fft_block_bins]}, i, tile * bin, points) / 1e-15;
    });
    bench.rate("pack", bytes, pack);
    unpack();
    bench.check("unpack", points, [=] __device__(std::int64_t i) {
        const std::int64_t tile = i / length;
        const std::int64_t bin = i % length;
        return distance(p[bin * tiles + tile], i, tile * bin, points) / 1e-15;
    });
    bench.rate("unpack", bytes, unpack);
}

void require(cufftResult status, const char* what) {
    if (status == CUFFT_SUCCESS)
        return;
    std::fprintf(stderr, "%s: cuFFT status %d\n", what, static_cast<int>(status));
    std::exit(3);
}

/// The stream of the second lane, which lives as long as the program.
struct Lanes {
    Lanes() {
        require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "a stream");
        require(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming), "an event");
    }
    void follow(cudaStream_t stream) const { order(stream, other); }
    void join(cudaStream_t stream) const { order(other, stream); }

    cudaStream_t other = nullptr;

  private:
    void order(cudaStream_t before, cudaStream_t after) const {
        require(cudaEventRecord(reached, before), "cudaEventRecord");
        require(cudaStreamWaitEvent(after, reached, 0), "cudaStreamWaitEvent");
    }
    cudaEvent_t reached = nullptr;
};

/// Our own passes and cuFFT, as rates of two passes over the points.
void whole_ffts(Bench& bench, const Lanes& lanes, const double2* roots, const cudaDeviceProp& gpu,
                int log_points) {
    const std::int64_t size = std::int64_t{1} << log_points;
    const FftSplit split = split_fft(size, gpu.l2CacheSize).value();
    const Array<double2> input(size), ours(size), theirs(size), work(size), small(split.scratch());
    double2 *in = input.data(), *own = ours.data(), *library = theirs.data();
    bench.fill(size, [=] __device__(std::int64_t i) {
        in[i] = {number(i, 0), number(i, 1)};
        own[i] = {nan(""), nan("")};
    });
    cufftHandle plan = 0;
    std::size_t workspace = 0;
    long long length = size;
    require(cufftCreate(&plan), "cufftCreate");
    require(cufftSetAutoAllocation(plan, 0), "cufftSetAutoAllocation");
    require(cufftMakePlanMany64(plan, 1, &length, nullptr, 1, length, nullptr, 1, length, CUFFT_Z2Z,
                                1, &workspace),
            "cufftMakePlanMany64");
    const Array<double2> area(static_cast<std::int64_t>(workspace / sizeof(double2) + 1));
    require(cufftSetWorkArea(plan, area.data()), "cufftSetWorkArea");
    require(cufftSetStream(plan, bench.stream), "cufftSetStream");
    const auto by_cufft = [&] {
        require(cufftExecZ2Z(plan, in, library, CUFFT_FORWARD), "cufftExecZ2Z");
    };
    const auto by_passes = [&] {
        const auto launch = [&](const FftPassShape& shape, const FftPass& pass,
                                std::optional<int> lane) {
            launch_fft_pass(shape, pass, gpu.multiProcessorCount,
                            lane.value_or(0) == 0 ? bench.stream : lanes.other);
            if (!lane)  // what both lanes wait for
                lanes.follow(bench.stream);
        };
        for_each_pass(split, FftBuffers{in, work.data(), small.data(), own, roots}, launch);
        lanes.join(bench.stream);
    };
    by_cufft();
    by_passes();
    bench.check("fft", size, [=] __device__(std::int64_t i) {
        return hypot(own[i].x - library[i].x, own[i].y - library[i].y) /
               (1e-14 * sqrt(static_cast<double>(size)));
    });
    const std::string of = " 2^" + std::to_string(log_points);
    const double bytes = 4.0 * sizeof(double2) * static_cast<double>(size);
    bench.rate("fft" + of, bytes, by_passes);
    bench.rate("cuFFT" + of, bytes, by_cufft);
    require(cufftDestroy(plan), "cufftDestroy");
}

void ffts(Bench& bench, const cudaDeviceProp& gpu) {
    const Array<double2> table(fft_root_entries);
    double2* roots = table.data();
    bench.fill(fft_root_entries, [=] __device__(std::int64_t i) {
        std::int64_t order = 1;
        while (2 * order <= i)
            order *= 2;
        roots[i] = power(i - order, order);
    });
    require(load_fft_pass_kernels(), "the passes' kernels");
    const Lanes lanes;
    for (int log_points = 20; log_points <= 30; ++log_points)
        whole_ffts(bench, lanes, roots, gpu, log_points);
}

int run(const std::vector<std::string>& wanted) {
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, 0), "the GPU");
    int driver = 0;
    int runtime = 0;
    require(cudaDriverGetVersion(&driver), "the driver");
    require(cudaRuntimeGetVersion(&runtime), "the runtime");
    std::printf("%s, %d multiprocessors, CUDA %d.%d, driver for %d.%d\n", properties.name,
                properties.multiProcessorCount, runtime / 1000, runtime % 1000 / 10, driver / 1000,
                driver % 1000 / 10);
    const std::vector<std::string> parts{"vectors", "products", "transforms", "ffts"};
    for (const std::string& part : wanted)
        if (std::ranges::find(parts, part) == parts.end()) {
            std::fprintf(stderr, "%s is not one of vectors, products, transforms and ffts\n",
                         part.c_str());
            return 2;
        }
    const auto is_wanted = [&](const char* part) {
        return wanted.empty() || std::ranges::find(wanted, part) != wanted.end();
    };
    Bench bench;
    if (is_wanted("vectors"))
        vectors(bench, std::int64_t{1} << 28);  // 2 GiB each
    if (is_wanted("products")) {
        cublasHandle_t cublas = nullptr;
        require(cublasCreate(&cublas), "cublasCreate");
        require(cublasSetStream(cublas, bench.stream), "cublasSetStream");
        for (const std::int64_t size : {1024, 2048, 4096, 8192, 16384, 32768})
            products(bench, cublas, size, properties.multiProcessorCount, properties.l2CacheSize);
        require(cublasDestroy(cublas), "cublasDestroy");
    }
    if (is_wanted("transforms"))
        transforms(bench, 8192, 16384);  // 2 GiB of points
    if (is_wanted("ffts"))
        ffts(bench, properties);
    return bench.wrong() ? 1 : 0;
}

}  // namespace
}  // namespace quartet::device

int main(int argc, char** argv) {
    return quartet::device::run({argv + 1, argv + argc});
}

#include "device/cuda/runtime/block_sum.cuh"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"

namespace quartet::device {

namespace {

unsigned grid_size(std::int64_t blocks) {
    return static_cast<unsigned>(blocks);
}

/// The first stage of a sum over term(i, term.operands(i)): the sum of each block. The operands of
/// Term::lanes_at_once lanes are loaded before any term stores, since nvcc must assume that a store
/// changes later operands. Adds Term::rest(), if it exists.
template <typename Term>
__global__ void __launch_bounds__(block_threads, sum_blocks_at_once)
    sum_blocks(Term term, SumGrid grid, double* partials) {
    double sums[sum_lanes] = {};
    std::int64_t first = grid.first(grid_thread(), 0);
    for (; first + (sum_lanes - 1) * grid.threads() < grid.size; first += grid.step()) {
#pragma unroll
        for (int lane = 0; lane < sum_lanes; lane += Term::lanes_at_once) {
            decltype(term.operands(first)) operands[Term::lanes_at_once];
#pragma unroll
            for (int i = 0; i < Term::lanes_at_once; ++i)
                operands[i] = term.operands(first + (lane + i) * grid.threads());
#pragma unroll
            for (int i = 0; i < Term::lanes_at_once; ++i)
                sums[lane + i] += term(first + (lane + i) * grid.threads(), operands[i]);
        }
    }
    for (int lane = 0; lane < sum_lanes; ++lane)
        if (first + lane * grid.threads() < grid.size)
            sums[lane] +=
                term(first + lane * grid.threads(), term.operands(first + lane * grid.threads()));
    if constexpr (requires { term.rest(); })
        if (grid_thread() == 0)
            sums[0] += term.rest();
    const double sum = block_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    if (threadIdx.x == 0)
        partials[blockIdx.x] = sum;
}

/// The second stage: one block adds the sums of the first stage.
__global__ void __launch_bounds__(block_threads)
    sum_partials(const double* partials, std::int64_t count, double* result) {
    const double sum = sum_of(partials, count);
    if (threadIdx.x == 0)
        *result = sum;
}

template <typename Term>
void launch_sum(Term term, std::int64_t size, double* partials, double* result,
                cudaStream_t stream) {
    static_assert(sum_lanes == 4, "the sum of the lanes is written out");
    const SumGrid grid{size};
    sum_blocks<<<grid_size(grid.blocks()), block_threads, 0, stream>>>(term, grid, partials);
    launch_sum_partials(partials, grid.blocks(), result, stream);
}

/// What a thread reads or writes at once: one element, or 16 bytes, the widest access.
template <typename T, int elements>
struct alignas(sizeof(T) * elements) Pack {
    using Element = T;
    static constexpr int width = elements;
    T lanes[width];
};
template <typename T>
using WidestPack = Pack<T, 16 / sizeof(T)>;

bool packable(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

template <typename T>
struct Add {
    __device__ T operator()(T source, T target) const { return target + source; }
};

struct Axpy {
    double factor;
    __device__ double operator()(double x, double y) const { return fma(factor, x, y); }
};
struct Xpay {
    double factor;
    __device__ double operator()(double x, double y) const { return fma(factor, y, x); }
};

/// Packs of source and of target that a thread has in flight at once.
template <typename Packs>
constexpr int pack_batch = Packs::width == 1 ? 4 : 2;

/// target[i] = operation(source[i], target[i]), pack by pack; the last elements one by one. Source
/// and target may be the same. Beyond the end the last pack is read again and not used: a load that
/// depends on a condition would wait for the load before it.
template <typename Packs, typename Operation>
__global__ void __launch_bounds__(block_threads)
    update_packs(const typename Packs::Element* source, typename Packs::Element* target,
                 std::int64_t size, Operation operation) {
    constexpr int batch = pack_batch<Packs>;
    const std::int64_t packs = size / Packs::width;
    const auto* from = reinterpret_cast<const Packs*>(source);
    auto* to = reinterpret_cast<Packs*>(target);
    for (std::int64_t first = grid_thread(); first < packs; first += batch * grid_threads()) {
        Packs left[batch];
        Packs right[batch];
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const std::int64_t place = between(first + i * grid_threads(), 0, packs - 1);
            left[i] = from[place];
            right[i] = to[place];
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            for (int lane = 0; lane < Packs::width; ++lane)
                right[i].lanes[lane] = operation(left[i].lanes[lane], right[i].lanes[lane]);
            if (first + i * grid_threads() < packs)
                to[first + i * grid_threads()] = right[i];
        }
    }
    for (std::int64_t i = packs * Packs::width + grid_thread(); i < size; i += grid_threads())
        target[i] = operation(source[i], target[i]);
}

template <typename Packs, typename Operation>
void launch_packs(const typename Packs::Element* source, typename Packs::Element* target,
                  std::int64_t size, Operation operation, cudaStream_t stream) {
    const unsigned blocks = grid_size(blocks_for(size, Packs::width * pack_batch<Packs>));
    update_packs<Packs><<<blocks, block_threads, 0, stream>>>(source, target, size, operation);
}

template <typename T, typename Operation>
void launch_update(const T* source, T* target, std::int64_t size, Operation operation,
                   cudaStream_t stream) {
    if (size == 0)
        return;
    if (packable(source) && packable(target))
        launch_packs<WidestPack<T>>(source, target, size, operation, stream);
    else
        launch_packs<Pack<T, 1>>(source, target, size, operation, stream);
}

template <typename T>
__global__ void __launch_bounds__(block_threads) fill(T value, T* target, std::int64_t size) {
    for (std::int64_t i = grid_thread(); i < size; i += grid_threads())
        target[i] = value;
}

template <typename T>
void launch_any_fill(T value, T* target, std::int64_t size, cudaStream_t stream) {
    if (size == 0)
        return;
    fill<<<grid_size(blocks_for(size, 1)), block_threads, 0, stream>>>(value, target, size);
}

/// Read two neighbours: by one load if all pairs are aligned to 16 bytes, else by two.
struct Together {
    __device__ static double2 pair(const double* address, std::int64_t i) {
        return reinterpret_cast<const double2*>(address)[i];
    }
};
struct OneByOne {
    __device__ static double2 pair(const double* address, std::int64_t i) {
        return {address[2 * i], address[2 * i + 1]};
    }
};

/// The dot of x and y, read in pairs; `last` is the element that an odd size leaves over, or none.
template <typename Read>
struct Product {
    static constexpr int lanes_at_once = 4;  // all, as it stores nothing
    const double* x;
    const double* y;
    std::int64_t last;
    struct Operands {
        double2 x, y;
    };
    __device__ Operands operands(std::int64_t i) const {
        return {Read::pair(x, i), Read::pair(y, i)};
    }
    __device__ double operator()(std::int64_t, const Operands& of) const {
        return of.x.x * of.y.x + of.x.y * of.y.y;
    }
    __device__ double rest() const { return last < 0 ? 0.0 : x[last] * y[last]; }
};

template <typename Read>
void launch_product(const double* x, const double* y, std::int64_t size, double* partials,
                    double* result, cudaStream_t stream) {
    const Product<Read> product{x, y, size % 2 == 1 ? size - 1 : -1};
    launch_sum(product, size / 2, partials, result, stream);
}

}  // namespace

void launch_add(const float* source, float* target, std::int64_t size, cudaStream_t stream) {
    launch_update(source, target, size, Add<float>{}, stream);
}

void launch_add(const double* source, double* target, std::int64_t size, cudaStream_t stream) {
    launch_update(source, target, size, Add<double>{}, stream);
}

void launch_fill(float value, float* target, std::int64_t size, cudaStream_t stream) {
    launch_any_fill(value, target, size, stream);
}

void launch_fill(double value, double* target, std::int64_t size, cudaStream_t stream) {
    launch_any_fill(value, target, size, stream);
}

void launch_axpy(double factor, const double* x, double* y, std::int64_t size,
                 cudaStream_t stream) {
    launch_update(x, y, size, Axpy{factor}, stream);
}

void launch_xpay(const double* x, double factor, double* y, std::int64_t size,
                 cudaStream_t stream) {
    launch_update(x, y, size, Xpay{factor}, stream);
}

void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream) {
    if (packable(x) && packable(y))
        launch_product<Together>(x, y, size, partials, result, stream);
    else
        launch_product<OneByOne>(x, y, size, partials, result, stream);
}

void launch_sum_partials(const double* partials, std::int64_t count, double* result,
                         cudaStream_t stream) {
    sum_partials<<<1, block_threads, 0, stream>>>(partials, count, result);
}

BuiltArchitectures built_architectures() {
    static constexpr int list[] = {__CUDA_ARCH_LIST__};
    return {list, static_cast<int>(sizeof(list) / sizeof(list[0]))};
}

cudaError_t load_vector_kernels() {
    return loaded(fill<float>, fill<double>, update_packs<Pack<float, 4>, Add<float>>,
                  update_packs<Pack<double, 2>, Add<double>>, update_packs<Pack<double, 2>, Axpy>,
                  update_packs<Pack<double, 2>, Xpay>, update_packs<Pack<float, 1>, Add<float>>,
                  update_packs<Pack<double, 1>, Add<double>>, update_packs<Pack<double, 1>, Axpy>,
                  update_packs<Pack<double, 1>, Xpay>, sum_blocks<Product<Together>>,
                  sum_blocks<Product<OneByOne>>, sum_partials);
}

}  // namespace quartet::device

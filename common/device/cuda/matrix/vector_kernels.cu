#include "device/cuda/matrix/block_sum.cuh"
#include "device/cuda/matrix/vector_kernels.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

namespace {

/// What a thread reads or writes at once: 16 bytes, the widest access there is.
template <typename T>
struct alignas(16) Pack {
    static constexpr int width = 16 / sizeof(T);
    T lanes[width];
};

bool packable(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

unsigned grid_size(std::int64_t blocks) {
    return static_cast<unsigned>(blocks);
}

template <typename T>
struct Add {
    __device__ void begin() {}
    __device__ T operator()(T source, T target) const { return target + source; }
};
__device__ double value_of(const FactorOnGpu& factor) {
    return factor.place == nullptr ? factor.number : *factor.place;
}

struct Axpy {
    FactorOnGpu number;
    double factor = 0;
    __device__ void begin() { factor = value_of(number); }
    __device__ double operator()(double x, double y) const { return y + factor * x; }
};
struct Xpay {
    FactorOnGpu number;
    double factor = 0;
    __device__ void begin() { factor = value_of(number); }
    __device__ double operator()(double x, double y) const { return x + factor * y; }
};
/// target[i] = operation(source[i], target[i]), pack by pack; the last elements one by one. An
/// operation begins by fetching its factor, once in each thread. Source and target may be the same.
template <typename T, typename Operation>
__global__ void __launch_bounds__(block_threads)
    update_packs(const T* source, T* target, std::int64_t size, Operation operation) {
    operation.begin();
    const std::int64_t packs = size / Pack<T>::width;
    const auto* from = reinterpret_cast<const Pack<T>*>(source);
    auto* to = reinterpret_cast<Pack<T>*>(target);
    for (std::int64_t i = grid_thread(); i < packs; i += grid_threads()) {
        const Pack<T> left = from[i];
        Pack<T> right = to[i];
        for (int lane = 0; lane < Pack<T>::width; ++lane)
            right.lanes[lane] = operation(left.lanes[lane], right.lanes[lane]);
        to[i] = right;
    }
    for (std::int64_t i = packs * Pack<T>::width + grid_thread(); i < size; i += grid_threads())
        target[i] = operation(source[i], target[i]);
}

/// The same for memory that is not aligned to packs.
template <typename T, typename Operation>
__global__ void __launch_bounds__(block_threads)
    update_elements(const T* source, T* target, std::int64_t size, Operation operation) {
    operation.begin();
    for (std::int64_t i = grid_thread(); i < size; i += grid_threads())
        target[i] = operation(source[i], target[i]);
}

template <typename T, typename Operation>
void launch_update(const T* source, T* target, std::int64_t size, Operation operation,
                   cudaStream_t stream) {
    if (size == 0)
        return;
    if (packable(source) && packable(target)) {
        const std::int64_t blocks = blocks_for(size, Pack<T>::width);
        update_packs<<<grid_size(blocks), block_threads, 0, stream>>>(source, target, size,
                                                                      operation);
    } else {
        const std::int64_t blocks = blocks_for(size, 1);
        update_elements<<<grid_size(blocks), block_threads, 0, stream>>>(source, target, size,
                                                                         operation);
    }
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

struct Product {
    const double* x;
    const double* y;
    __device__ void begin() {}
    __device__ double operator()(std::int64_t i) const { return x[i] * y[i]; }
};

struct Step {
    FactorOnGpu number;
    StepPointers vectors;
    double step = 0;
    __device__ void begin() { step = value_of(number); }
    __device__ double operator()(std::int64_t i) const {
        vectors.solution[i] += step * vectors.direction[i];
        const double rest = vectors.residual[i] - step * vectors.product[i];
        vectors.residual[i] = rest;
        return rest * rest;
    }
};

struct TurnAndStep {
    FactorOnGpu turn_number;
    FactorOnGpu step_number;
    CombinedStepPointers vectors;
    double turn = 0;
    double step = 0;
    __device__ void begin() {
        turn = value_of(turn_number);
        step = value_of(step_number);
    }
    __device__ double operator()(std::int64_t i) const {
        const double residual = vectors.residual[i];
        const double along = residual + turn * vectors.direction[i];
        const double image = vectors.residual_product[i] + turn * vectors.product[i];
        vectors.direction[i] = along;
        vectors.product[i] = image;
        vectors.solution[i] += step * along;
        const double rest = residual - step * image;
        vectors.residual[i] = rest;
        return rest * rest;
    }
};

/// The first stage of a sum over term(i): the sum of each block.
template <typename Term>
__global__ void __launch_bounds__(block_threads)
    sum_blocks(Term term, SumGrid grid, double* partials) {
    term.begin();
    double sums[sum_lanes] = {};
    std::int64_t first = grid.first(grid_thread(), 0);
    for (; first + (sum_lanes - 1) * grid.threads() < grid.size; first += grid.step())
        for (int lane = 0; lane < sum_lanes; ++lane)
            sums[lane] += term(first + lane * grid.threads());
    for (int lane = 0; lane < sum_lanes; ++lane)
        if (first + lane * grid.threads() < grid.size)
            sums[lane] += term(first + lane * grid.threads());
    const double sum = block_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    if (threadIdx.x == 0)
        partials[blockIdx.x] = sum;
}

/// The second stage: one block sums what the blocks of the first have left.
__global__ void __launch_bounds__(block_threads)
    sum_partials(const double* partials, std::int64_t count, double* result) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < count; i += block_threads)
        sum += partials[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *result = sum;
}

template <typename Term>
void launch_sum(Term term, std::int64_t size, double* partials, double* result,
                cudaStream_t stream) {
    static_assert(sum_lanes == 4, "the sum of the lanes is written out");
    const SumGrid grid{size};
    sum_blocks<<<grid_size(grid.blocks()), block_threads, 0, stream>>>(term, grid, partials);
    sum_partials<<<1, block_threads, 0, stream>>>(partials, grid.blocks(), result);
}

__global__ void find_step_alone(CgScalars* scalars) {
    find_step(*scalars);
}
__global__ void find_turn_alone(CgScalars* scalars, double* history) {
    find_turn(*scalars, history);
}
__global__ void find_both_alone(CgScalars* scalars, double* history) {
    find_turn_and_step(*scalars, history);
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

void launch_axpy(FactorOnGpu factor, const double* x, double* y, std::int64_t size,
                 cudaStream_t stream) {
    launch_update(x, y, size, Axpy{factor}, stream);
}

void launch_xpay(const double* x, FactorOnGpu factor, double* y, std::int64_t size,
                 cudaStream_t stream) {
    launch_update(x, y, size, Xpay{factor}, stream);
}

void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream) {
    launch_sum(Product{x, y}, size, partials, result, stream);
}

void launch_step(FactorOnGpu step, const StepPointers& vectors, std::int64_t size, double* partials,
                 double* result, cudaStream_t stream) {
    launch_sum(Step{step, vectors}, size, partials, result, stream);
}

void launch_turn_and_step(FactorOnGpu turn, FactorOnGpu step, const CombinedStepPointers& vectors,
                          std::int64_t size, double* partials, double* result,
                          cudaStream_t stream) {
    launch_sum(TurnAndStep{turn, step, vectors}, size, partials, result, stream);
}

void launch_find_step(CgScalars* scalars, cudaStream_t stream) {
    find_step_alone<<<1, 1, 0, stream>>>(scalars);
}

void launch_find_turn(CgScalars* scalars, double* history, cudaStream_t stream) {
    find_turn_alone<<<1, 1, 0, stream>>>(scalars, history);
}

void launch_find_turn_and_step(CgScalars* scalars, double* history, cudaStream_t stream) {
    find_both_alone<<<1, 1, 0, stream>>>(scalars, history);
}

BuiltArchitectures built_architectures() {
    static constexpr int list[] = {__CUDA_ARCH_LIST__};
    return {list, static_cast<int>(sizeof(list) / sizeof(list[0]))};
}

}  // namespace quartet::device

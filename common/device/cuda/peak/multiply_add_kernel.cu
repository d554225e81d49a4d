#include "device/cuda/peak/multiply_add_kernel.hpp"
#include "device/cuda/runtime/block_sum.cuh"
#include "device/cuda/runtime/loaded_kernels.hpp"

namespace quartet::device {

namespace {

// Independent chains of multiply-adds in a thread, and their length in one step.
constexpr int chains = 8;
constexpr int links = 2;

// Values converge to 2: no overflow, no denormal. The compiler must compute all sums, as it cannot
// know that none is negative.
template <typename Number>
__global__ void __launch_bounds__(block_threads)
    multiply_add(std::int64_t steps, Number factor, Number summand, double* result) {
    Number values[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i)
        values[i] = summand * static_cast<Number>(i);
#pragma unroll 4
    for (std::int64_t step = 0; step < steps; ++step)
#pragma unroll
        for (int link = 0; link < links; ++link)
#pragma unroll
            for (int i = 0; i < chains; ++i)
                values[i] = values[i] * factor + summand;
    Number sum = 0;
#pragma unroll
    for (int i = 0; i < chains; ++i)
        sum += values[i];
    if (sum < 0 || grid_thread() == 0)
        result[0] = sum;
}

}  // namespace

void launch_multiply_add(FloatFormat format, std::int64_t steps, int blocks, double* result,
                         cudaStream_t stream) {
    const auto grid = static_cast<unsigned>(blocks);
    if (format == FloatFormat::float32)
        multiply_add<float><<<grid, block_threads, 0, stream>>>(steps, 0.5F, 1.0F, result);
    else
        multiply_add<double><<<grid, block_threads, 0, stream>>>(steps, 0.5, 1.0, result);
}

double multiply_add_operations(std::int64_t steps) {
    return 2.0 * static_cast<double>(steps) * links * chains;
}

cudaError_t load_multiply_add_kernels() {
    return loaded(multiply_add<float>, multiply_add<double>);
}

}  // namespace quartet::device

#pragma once

#include "device/cuda/matrix/factor_on_gpu.hpp"
#include "device/cuda/runtime/block_sum.cuh"

namespace quartet::device {

inline unsigned grid_size(std::int64_t blocks) {
    return static_cast<unsigned>(blocks);
}

__device__ inline double value_of(const FactorOnGpu& factor) {
    return factor.address == nullptr ? factor.number : *factor.address;
}

/// The first stage of a sum over term(i, term.operands(i)): the sum of each block. The operands of
/// Term::lanes_at_once lanes are loaded before anything is stored: for all that nvcc knows, it
/// might change them. Term::rest() is added, where it has one.
template <typename Term>
__global__ void __launch_bounds__(block_threads, sum_blocks_at_once)
    sum_blocks(Term term, SumGrid grid, double* partials) {
    term.begin();
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
static __global__ void __launch_bounds__(block_threads)
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
    sum_partials<<<1, block_threads, 0, stream>>>(partials, grid.blocks(), result);
}

}  // namespace quartet::device

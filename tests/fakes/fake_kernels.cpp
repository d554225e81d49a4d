#include <array>

#include "device/cuda/matrix/cg_update_kernels.hpp"
#include "device/cuda/matrix/vector_kernels.hpp"
#include "device/cuda/runtime/grid.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

/// The kernels of vectors as loops, over the same index functions.
namespace quartet::device {

namespace {

template <typename Body>
void on_stream(cudaStream_t stream, std::int64_t size, Body body) {
    fakes(stream).enqueue(Phase::compute, "kernel", [size, body] {
        for (std::int64_t i = 0; i < size; ++i)
            body(i);
    });
}

double value_of(const FactorOnGpu& factor) {
    return factor.address == nullptr ? factor.number : *factor.address;
}

/// The sum over term(i) in the order of the kernels, but for the order within a block.
template <typename Term>
void sum_on_stream(Term term, std::int64_t size, double* partials, double* result,
                   cudaStream_t stream) {
    partials = on_cpu(partials);
    result = on_cpu(result);
    const SumGrid grid{size};
    fakes(stream).enqueue(Phase::compute, "sum", [=] {
        for (std::int64_t block = 0; block < grid.blocks(); ++block) {
            partials[block] = 0;
            for (int thread = 0; thread < block_threads; ++thread)
                for (int lane = 0; lane < sum_lanes; ++lane)
                    for (std::int64_t i = grid.first(block * block_threads + thread, lane);
                         i < grid.size; i += grid.step())
                        partials[block] += term(i);
        }
        *result = 0;
        for (std::int64_t block = 0; block < grid.blocks(); ++block)
            *result += partials[block];
    });
}

}  // namespace

void launch_add(const float* source, float* target, std::int64_t size, cudaStream_t stream) {
    source = on_cpu(source);
    target = on_cpu(target);
    on_stream(stream, size, [=](std::int64_t i) { target[i] += source[i]; });
}

void launch_add(const double* source, double* target, std::int64_t size, cudaStream_t stream) {
    source = on_cpu(source);
    target = on_cpu(target);
    on_stream(stream, size, [=](std::int64_t i) { target[i] += source[i]; });
}

void launch_fill(float value, float* target, std::int64_t size, cudaStream_t stream) {
    target = on_cpu(target);
    on_stream(stream, size, [=](std::int64_t i) { target[i] = value; });
}

void launch_fill(double value, double* target, std::int64_t size, cudaStream_t stream) {
    target = on_cpu(target);
    on_stream(stream, size, [=](std::int64_t i) { target[i] = value; });
}

void launch_axpy(FactorOnGpu factor, const double* x, double* y, std::int64_t size,
                 cudaStream_t stream) {
    x = on_cpu(x);
    y = on_cpu(y);
    factor.address = on_cpu(factor.address);
    on_stream(stream, size, [=](std::int64_t i) { y[i] += value_of(factor) * x[i]; });
}

void launch_xpay(const double* x, FactorOnGpu factor, double* y, std::int64_t size,
                 cudaStream_t stream) {
    x = on_cpu(x);
    y = on_cpu(y);
    factor.address = on_cpu(factor.address);
    on_stream(stream, size, [=](std::int64_t i) { y[i] = x[i] + value_of(factor) * y[i]; });
}

void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream) {
    x = on_cpu(x);
    y = on_cpu(y);
    sum_on_stream([=](std::int64_t i) { return x[i] * y[i]; }, size, partials, result, stream);
}

void launch_update_classic(FactorOnGpu alpha, const ClassicPointers& on_gpu, std::int64_t size,
                           double* partials, double* result, cudaStream_t stream) {
    const ClassicPointers vectors{on_cpu(on_gpu.direction), on_cpu(on_gpu.product),
                                  on_cpu(on_gpu.solution), on_cpu(on_gpu.residual)};
    alpha.address = on_cpu(alpha.address);
    const auto term = [=](std::int64_t i) {
        vectors.solution[i] += value_of(alpha) * vectors.direction[i];
        vectors.residual[i] -= value_of(alpha) * vectors.product[i];
        return vectors.residual[i] * vectors.residual[i];
    };
    sum_on_stream(term, size, partials, result, stream);
}

void launch_update_single_reduction(FactorOnGpu beta, FactorOnGpu alpha,
                                    const SingleReductionPointers& on_gpu, std::int64_t size,
                                    double* partials, double* result, cudaStream_t stream) {
    const SingleReductionPointers vectors{on_cpu(on_gpu.direction), on_cpu(on_gpu.product),
                                          on_cpu(on_gpu.residual_product), on_cpu(on_gpu.solution),
                                          on_cpu(on_gpu.residual)};
    beta.address = on_cpu(beta.address);
    alpha.address = on_cpu(alpha.address);
    const auto term = [=](std::int64_t i) {
        vectors.direction[i] = vectors.residual[i] + value_of(beta) * vectors.direction[i];
        vectors.product[i] = vectors.residual_product[i] + value_of(beta) * vectors.product[i];
        vectors.solution[i] += value_of(alpha) * vectors.direction[i];
        vectors.residual[i] -= value_of(alpha) * vectors.product[i];
        return vectors.residual[i] * vectors.residual[i];
    };
    sum_on_stream(term, size, partials, result, stream);
}

void launch_update_alpha(CgScalars* scalars, cudaStream_t stream) {
    fakes(stream).enqueue(Phase::compute, "update alpha",
                          [scalars = on_cpu(scalars)] { update_alpha(*scalars); });
}

void launch_update_beta(CgScalars* scalars, double* history, cudaStream_t stream) {
    fakes(stream).enqueue(
        Phase::compute, "update beta",
        [scalars = on_cpu(scalars), history = on_cpu(history)] { update_beta(*scalars, history); });
}

void launch_update_alpha_beta(CgScalars* scalars, double* history, cudaStream_t stream) {
    fakes(stream).enqueue(Phase::compute, "update alpha and beta",
                          [scalars = on_cpu(scalars), history = on_cpu(history)] {
                              update_alpha_beta(*scalars, history);
                          });
}

BuiltArchitectures built_architectures() {
    static constexpr std::array list{900};
    return {list.data(), 1};
}

}  // namespace quartet::device

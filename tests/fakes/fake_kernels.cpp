#include <array>

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
    return factor.place == nullptr ? factor.number : *factor.place;
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
    factor.place = on_cpu(factor.place);
    on_stream(stream, size, [=](std::int64_t i) { y[i] += value_of(factor) * x[i]; });
}

void launch_xpay(const double* x, FactorOnGpu factor, double* y, std::int64_t size,
                 cudaStream_t stream) {
    x = on_cpu(x);
    y = on_cpu(y);
    factor.place = on_cpu(factor.place);
    on_stream(stream, size, [=](std::int64_t i) { y[i] = x[i] + value_of(factor) * y[i]; });
}

void launch_dot(const double* x, const double* y, std::int64_t size, double* partials,
                double* result, cudaStream_t stream) {
    x = on_cpu(x);
    y = on_cpu(y);
    sum_on_stream([=](std::int64_t i) { return x[i] * y[i]; }, size, partials, result, stream);
}

void launch_step(FactorOnGpu step, const StepPointers& on_gpu, std::int64_t size, double* partials,
                 double* result, cudaStream_t stream) {
    const StepPointers vectors{on_cpu(on_gpu.direction), on_cpu(on_gpu.product),
                               on_cpu(on_gpu.solution), on_cpu(on_gpu.residual)};
    step.place = on_cpu(step.place);
    const auto term = [=](std::int64_t i) {
        vectors.solution[i] += value_of(step) * vectors.direction[i];
        vectors.residual[i] -= value_of(step) * vectors.product[i];
        return vectors.residual[i] * vectors.residual[i];
    };
    sum_on_stream(term, size, partials, result, stream);
}

void launch_turn_and_step(FactorOnGpu turn, FactorOnGpu step, const CombinedStepPointers& on_gpu,
                          std::int64_t size, double* partials, double* result,
                          cudaStream_t stream) {
    const CombinedStepPointers vectors{on_cpu(on_gpu.direction), on_cpu(on_gpu.product),
                                       on_cpu(on_gpu.residual_product), on_cpu(on_gpu.solution),
                                       on_cpu(on_gpu.residual)};
    turn.place = on_cpu(turn.place);
    step.place = on_cpu(step.place);
    const auto term = [=](std::int64_t i) {
        vectors.direction[i] = vectors.residual[i] + value_of(turn) * vectors.direction[i];
        vectors.product[i] = vectors.residual_product[i] + value_of(turn) * vectors.product[i];
        vectors.solution[i] += value_of(step) * vectors.direction[i];
        vectors.residual[i] -= value_of(step) * vectors.product[i];
        return vectors.residual[i] * vectors.residual[i];
    };
    sum_on_stream(term, size, partials, result, stream);
}

void launch_find_step(CgScalars* scalars, cudaStream_t stream) {
    fakes(stream).enqueue(Phase::compute, "find step",
                          [scalars = on_cpu(scalars)] { find_step(*scalars); });
}

void launch_find_turn(CgScalars* scalars, double* history, cudaStream_t stream) {
    fakes(stream).enqueue(
        Phase::compute, "find turn",
        [scalars = on_cpu(scalars), history = on_cpu(history)] { find_turn(*scalars, history); });
}

void launch_find_turn_and_step(CgScalars* scalars, double* history, cudaStream_t stream) {
    fakes(stream).enqueue(Phase::compute, "find turn and step",
                          [scalars = on_cpu(scalars), history = on_cpu(history)] {
                              find_turn_and_step(*scalars, history);
                          });
}

BuiltArchitectures built_architectures() {
    static constexpr std::array list{900};
    return {list.data(), 1};
}

}  // namespace quartet::device

#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "device/multiply_add_probe.hpp"

namespace quartet::device {

/// Blocks that keep one multiprocessor busy with arithmetic.
inline constexpr int multiply_add_blocks = 8;

/// Each thread of `blocks` blocks of block_threads threads does `steps` steps of 16 multiply-adds
/// in a format; result[0] gets the first thread's sum.
void launch_multiply_add(FloatFormat format, std::int64_t steps, int blocks, double* result,
                         cudaStream_t stream);

/// The operations of one thread.
double multiply_add_operations(std::int64_t steps);

cudaError_t load_multiply_add_kernels();

class CudaMemory;
/// A probe of the current GPU's vector units, without its tensor cores.
std::unique_ptr<MultiplyAddProbe> make_cuda_multiply_add_probe(FloatFormat format,
                                                               CudaMemory& memory);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// Kernels of our own. The order of a dot's additions depends on its size alone.
std::unique_ptr<VectorOperations> make_cuda_vector_operations();

/// Shares in memory of the current GPU, filled by `threads` threads; `memory` outlives them.
std::unique_ptr<MatrixFactory> make_cuda_matrix_factory(int threads, CudaMemory& memory);

}  // namespace quartet::device

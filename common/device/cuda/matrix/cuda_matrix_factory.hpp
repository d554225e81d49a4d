#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix_factory.hpp"

namespace quartet::device {

/// Shares in memory of the current GPU, filled by `threads` threads; `memory` outlives them.
std::unique_ptr<MatrixFactory> make_cuda_matrix_factory(int threads, CudaMemory& memory);

}  // namespace quartet::device

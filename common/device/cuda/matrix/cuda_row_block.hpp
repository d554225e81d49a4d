#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A row block in the GPU's memory, row-major, each row padded to 128 bytes. Measures which product
/// is faster, cuBLAS or our kernel, and keeps that one. `memory` outlives it.
std::unique_ptr<MatrixShare> make_cuda_row_block(const RowBlock& block, int threads,
                                                 CudaMemory& memory);
Bytes cuda_row_block_memory(const RowBlock& block);

}  // namespace quartet::device

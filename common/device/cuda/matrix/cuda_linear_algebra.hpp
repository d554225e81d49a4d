#pragma once

#include <memory>

#include "device/cg_kernels.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// Kernels of our own. The order of a dot's additions depends on its size alone.
std::unique_ptr<VectorOperations> make_cuda_vector_operations();

/// Kernels of our own; sums as those of CudaVectorOperations.
std::unique_ptr<CgKernels> make_cuda_cg_kernels();

/// Shares in memory of the current GPU, filled by `threads` threads; `memory` outlives them.
std::unique_ptr<MatrixFactory> make_cuda_matrix_factory(int threads, CudaMemory& memory);

/// A row block in the GPU's memory, row-major, each row padded to 128 bytes. Measures which product
/// is faster, cuBLAS or our kernel, and keeps that one. `memory` outlives it.
std::unique_ptr<MatrixShare> make_cuda_row_block(const RowBlock& block, int threads,
                                                 CudaMemory& memory);
Bytes cuda_row_block_memory(const RowBlock& block);

/// A part of a triangle in the GPU's memory (triangle_layout.hpp). Products of one share run one
/// after another, whatever their streams. `memory` outlives it.
std::unique_ptr<MatrixShare> make_cuda_triangle_part(const TrianglePart& part, int threads,
                                                     CudaMemory& memory);
/// The elements, the tables of the layout, and the sums of the tiles.
Bytes cuda_triangle_part_memory(const TrianglePart& part);

}  // namespace quartet::device

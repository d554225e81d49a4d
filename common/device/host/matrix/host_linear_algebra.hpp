#pragma once

#include <memory>

#include "device/cg_kernels.hpp"
#include "device/device.hpp"
#include "device/host/loops/loops.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<VectorOperations> make_host_vector_operations(int threads, const Loops& loops);

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<CgKernels> make_host_cg_kernels(int threads, const VectorLoops& loops);

/// Shares in memory of the host, multiplied by `threads` OpenMP threads. Their memory comes from
/// `device`, which outlives the factory.
std::unique_ptr<MatrixFactory> make_host_matrix_factory(int threads, const MatrixLoops& loops,
                                                        Device& device);

/// A row block in the host's panels (matrix_layout.hpp), each thread with a run of them. Memory
/// comes from `device`.
std::unique_ptr<MatrixShare> make_host_row_block(const RowBlock& block, int threads,
                                                 const MatrixLoops& loops, Device& device);
Bytes host_row_block_memory(const RowBlock& block);

/// A part of a triangle in the host's panels (matrix_layout.hpp). The panels are distributed over
/// parts, and those of a part over the threads; each thread has one run of memory. Memory comes
/// from `device`.
std::unique_ptr<MatrixShare> make_host_triangle_part(const TrianglePart& part, int threads,
                                                     const MatrixLoops& loops, Device& device);
/// The share, and a vector of sums for each thread but one.
Bytes host_triangle_part_memory(const TrianglePart& part, int threads);

}  // namespace quartet::device

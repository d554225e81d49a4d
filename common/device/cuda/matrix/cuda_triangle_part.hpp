#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A part of a triangle in the GPU's memory (triangle_layout.hpp). Products of one share follow one
/// another, on whatever streams they are. `memory` outlives it.
std::unique_ptr<MatrixShare> make_cuda_triangle_part(const TrianglePart& part, int threads,
                                                     CudaMemory& memory);
/// The elements, and what the tiles of a product leave.
Bytes cuda_triangle_part_memory(const TrianglePart& part);

}  // namespace quartet::device

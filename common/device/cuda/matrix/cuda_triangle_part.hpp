#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A part of a triangle in the GPU's memory (triangle_layout.hpp). Products of one share run one
/// after another, whatever their streams. `memory` outlives it.
std::unique_ptr<MatrixShare> make_cuda_triangle_part(const TrianglePart& part, int threads,
                                                     CudaMemory& memory);
/// The elements, the tables of the layout, and the sums of the tiles.
Bytes cuda_triangle_part_memory(const TrianglePart& part);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A part of a triangle in the host's panels (matrix_layout.hpp), distributed over the parts, and a
/// part's over the threads, each of which has one run of memory. Memory comes from `device`.
std::unique_ptr<MatrixShare> make_host_triangle_part(const TrianglePart& part, int threads,
                                                     Device& device);
/// The share, and a vector of sums for each thread but one.
Bytes host_triangle_part_memory(const TrianglePart& part, int threads);

}  // namespace quartet::device

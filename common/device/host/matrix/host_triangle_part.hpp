#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A part of a triangle in panels of the host (matrix_layout.hpp). Panels are dealt to the parts,
/// and a part's to the threads, each of which has one piece of the memory; zeroed memory comes from
/// `device`.
std::unique_ptr<MatrixShare> make_host_triangle_part(const TrianglePart& part, int threads,
                                                     Device& device);
/// The share, and a vector of sums for each thread but one.
Bytes host_triangle_part_memory(const TrianglePart& part, int threads);

}  // namespace quartet::device

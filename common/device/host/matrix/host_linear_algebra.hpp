#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/host/loops/loops.hpp"
#include "device/matrix.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<VectorOperations> make_host_vector_operations(int threads, const Loops& loops);

/// Shares in memory of the host, multiplied by `threads` OpenMP threads. Their memory comes from
/// `device`, which outlives the factory.
std::unique_ptr<MatrixFactory> make_host_matrix_factory(int threads, const MatrixLoops& loops,
                                                        Device& device);

}  // namespace quartet::device

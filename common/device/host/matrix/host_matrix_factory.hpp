#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/matrix_factory.hpp"

namespace quartet::device {

/// Shares in memory of the host, multiplied by `threads` OpenMP threads. Their memory comes from
/// `device`, which outlives the factory.
std::unique_ptr<MatrixFactory> make_host_matrix_factory(int threads, Device& device);

}  // namespace quartet::device

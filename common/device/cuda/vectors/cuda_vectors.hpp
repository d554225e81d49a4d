#pragma once

#include <memory>

#include "device/vector_operations.hpp"

namespace quartet::device {

/// Kernels of our own. The order of a dot's additions depends on its size alone.
std::unique_ptr<VectorOperations> make_cuda_vector_operations();

}  // namespace quartet::device

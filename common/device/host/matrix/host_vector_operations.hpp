#pragma once

#include <memory>

#include "device/vector_operations.hpp"

namespace quartet::device {

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<VectorOperations> make_host_vector_operations(int threads);

}  // namespace quartet::device

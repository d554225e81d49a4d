#pragma once

#include <memory>

#include "device/cg_kernels.hpp"

namespace quartet::device {

/// Kernels of our own; sums as those of CudaVectorOperations.
std::unique_ptr<CgKernels> make_cuda_cg_kernels();

}  // namespace quartet::device

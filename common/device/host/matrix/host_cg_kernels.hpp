#pragma once

#include <memory>

#include "device/cg_kernels.hpp"

namespace quartet::device {

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<CgKernels> make_host_cg_kernels(int threads);

}  // namespace quartet::device

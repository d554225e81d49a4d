#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/accelerator.hpp"

namespace quartet::device {

/// Launches of the kernel that makes random numbers: the bits of DataSource.

void launch_fill_tiles(const RandomTiles& tiles, double2* target, std::int64_t size,
                       cudaStream_t stream);

cudaError_t load_uniform_kernels();

}  // namespace quartet::device

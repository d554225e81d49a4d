#pragma once

#include "core/units.hpp"

namespace quartet::device {

/// GPU memory that cuBLAS's products take beside their matrices, on each stream that they run on:
/// what cuBLAS recommends for Hopper; 4 MiB would do for older GPUs.
inline constexpr Bytes cublas_workspace = mebibytes(32);

}  // namespace quartet::device

#pragma once

#include "matmul/problem/arithmetic.hpp"

namespace quartet::matmul {

/// By ScaLAPACK's psgemm on a grid of this rank alone, and so by the BLAS that it calls, which need
/// not be native's. Calling it throws Unavailable if ScaLAPACK is not in this build.
Multiply multiply_by_scalapack();

}  // namespace quartet::matmul

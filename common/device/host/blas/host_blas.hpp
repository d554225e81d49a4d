#pragma once

#include <memory>

#include "device/blas.hpp"

namespace quartet::device {

/// Products by any CBLAS library. Asks it to use `threads` threads, for the whole process, if it
/// has a function for that (OpenBLAS, BLIS, MKL); others follow the OpenMP environment.
std::unique_ptr<Blas> make_host_blas(int threads);

}  // namespace quartet::device

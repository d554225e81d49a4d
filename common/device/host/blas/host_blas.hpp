#pragma once

#include <memory>
#include <string_view>

#include "device/blas.hpp"

namespace quartet::device {

/// Products by any CBLAS library. Asks it to use `threads` threads, for the whole process, if it
/// has a function for that (OpenBLAS, BLIS, MKL); others follow the OpenMP environment.
std::unique_ptr<Blas> make_host_blas(int threads);

/// Which kernels use_best_blas_kernels() asks for in place of `current` on a processor whose widest
/// loops are of `isa` (best_loops()), by their names in OpenBLAS: "SkylakeX", "Haswell", or empty
/// if `current` is as good.
std::string_view better_blas_kernels(std::string_view current, std::string_view isa);

}  // namespace quartet::device

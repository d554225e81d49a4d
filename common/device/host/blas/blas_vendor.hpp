#pragma once

#include <string>
#include <string_view>

namespace quartet::device {

/// If OpenBLAS does not know this processor and has fallen back to kernels for processors of twenty
/// years ago, makes it take the best kernels that the processor can run: measured five times as
/// fast (OpenBLAS 0.3.21, which takes an Emerald Rapids for a Prescott). If OPENBLAS_CORETYPE is
/// set in the environment, it decides instead. Call this before any other use of the library, and
/// before there are threads.
void use_best_blas_kernels();

/// Which kernels use_best_blas_kernels() asks for in place of `current` on a processor whose widest
/// loops are of `isa` (best_loops()), by their names in OpenBLAS: "SkylakeX", "Haswell", or empty
/// if `current` is as good.
std::string_view better_blas_kernels(std::string_view current, std::string_view isa);

/// Asks the BLAS libraries in this process for `threads` threads. Their own functions are looked up
/// by name at run time: no vendor's header is needed, and a library that is exchanged for another
/// behind the same interface is still recognised. Does nothing if none is found.
void set_blas_threads(int threads);

/// The name and the version of the library with cblas_sgemm, as the library tells them, or "CBLAS
/// of unknown make".
std::string blas_description();

}  // namespace quartet::device

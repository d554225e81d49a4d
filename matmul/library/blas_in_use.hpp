#pragma once

#include <string>

namespace quartet::matmul {

/// Says whether ScaLAPACK calls the same BLAS as native, by the files of both libraries. ScaLAPACK
/// may be linked with another BLAS, but the program's is found first.
std::string describe_blas_in_use();

/// The library file that has psgemm: MKL brings its own ScaLAPACK.
std::string scalapack_in_use();

}  // namespace quartet::matmul

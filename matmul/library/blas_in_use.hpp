#pragma once

#include <string>

namespace quartet::matmul {

/// Which BLAS ScaLAPACK calls: the same as native's or another one, by the file of the library.
/// ScaLAPACK was linked with a BLAS of its own choice; the program's is found before it.
std::string describe_blas_in_use();

/// The file that psgemm is from: MKL has a ScaLAPACK of its own.
std::string scalapack_in_use();

}  // namespace quartet::matmul

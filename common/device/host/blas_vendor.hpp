#pragma once

#include <string>

namespace quartet::device {

/// Asks the BLAS library in this process for `threads` threads. Its own functions are looked up by
/// name at run time: no vendor's header is needed, and a library that is exchanged for another
/// behind the same interface is still recognised. Does nothing where none is found.
void set_blas_threads(int threads);

/// The BLAS library's own words about its name and version, or "CBLAS of unknown make".
std::string blas_description();

}  // namespace quartet::device

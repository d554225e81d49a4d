#pragma once

#include <string>

#include "core/shared_library.hpp"

namespace quartet::device {

/// A library of the CUDA toolkit by its name ("cublas") and major version, wherever the loader
/// finds it, else from the toolkit that this was built with. Throws Unavailable where it cannot be
/// had.
SharedLibrary load_toolkit_library(const std::string& name, int major_version);

}  // namespace quartet::device

#pragma once

#include <string>

#include "core/shared_library.hpp"

namespace quartet::device {

/// Where to look for a library of the CUDA toolkit, by its name ("cublas") and major version: where
/// the loader finds it, then in the toolkit of this build.
LibrarySearch toolkit_library(const std::string& name, int major_version);

}  // namespace quartet::device

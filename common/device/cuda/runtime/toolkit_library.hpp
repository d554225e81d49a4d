#pragma once

#include <string>

#include "core/shared_library.hpp"

namespace quartet::device {

/// Where a library of the CUDA toolkit is, by its name ("cublas") and major version: wherever the
/// loader finds it, else in the toolkit that this was built with.
LibrarySearch toolkit_library(const std::string& name, int major_version);

}  // namespace quartet::device

#pragma once

#include <optional>
#include <string>

namespace quartet::device {

/// Why no CUDA device can be had here (no driver, no GPU, one that is too old), or nothing. Local.
std::optional<std::string> why_no_cuda();

}  // namespace quartet::device

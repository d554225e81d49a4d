#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/registry.hpp"

namespace quartet::device {

/// Why no CUDA device can be had here (no driver, no GPU, one that is too old), or nothing. Local.
std::optional<std::string> why_no_cuda();

/// A CUDA device; its GPU becomes the calling thread's current one. `trace` outlives it. Throws
/// Unavailable with why_no_cuda()'s words, and where a library of CUDA's cannot be loaded.
std::unique_ptr<Device> make_cuda_device(const DeviceSettings& settings, Trace& trace);

}  // namespace quartet::device

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

struct CudaSettings {
    int gpu = 0;      ///< which of those that this process sees
    int threads = 1;  ///< that touch new memory of the host
};

/// Why no CUDA device can be had here (no support in this build, no driver, no GPU, one that is too
/// old), or nothing. Local.
std::optional<std::string> why_no_cuda();

/// A CUDA device; its GPU becomes the calling thread's current one. `trace` outlives it. Throws
/// Unavailable with why_no_cuda()'s words, and where a library of CUDA's cannot be loaded.
std::unique_ptr<Device> make_cuda_device(const CudaSettings& settings, Trace& trace);

}  // namespace quartet::device

#pragma once

#include <memory>

#include "device/device_kind.hpp"

namespace quartet::device {

/// A CUDA device; its GPU becomes the calling thread's current one. `trace` outlives it. Throws
/// Unavailable with the kind's why_not(), and if a library of CUDA's cannot be loaded.
std::unique_ptr<Device> make_cuda_device(const DeviceSettings& settings, Trace& trace);

/// The CUDA device, or its absence from this build.
DeviceKind cuda_device();

}  // namespace quartet::device

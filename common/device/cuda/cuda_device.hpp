#pragma once

#include <memory>

#include "device/device_kind.hpp"

namespace quartet::device {

/// A CUDA device; its GPU becomes the calling thread's current one. `trace` must outlive it. Throws
/// Unavailable with the reason of why_no_cuda(), and if a library of CUDA cannot be loaded.
std::unique_ptr<Device> make_cuda_device(const DeviceSettings& settings, Trace& trace);

class CudaMemory;

/// For a kernel's own operations on GPUs (its folder cuda/): memory, and copies outside of streams.
/// Throws Failure for another device.
CudaMemory& cuda_memory(Device& device);

/// The CUDA device, or its absence from this build.
DeviceKind cuda_device();

}  // namespace quartet::device

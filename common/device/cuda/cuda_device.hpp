#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device_registry.hpp"

namespace quartet::device {

/// A CUDA device; its GPU becomes the calling thread's current one. `trace` must outlive it. Throws
/// Unavailable with the reason of why_no_cuda(), and if a library of CUDA cannot be loaded.
std::unique_ptr<Device> make_cuda_device(const DeviceSettings& settings, Trace& trace);

/// The CUDA device, or its absence from this build.
DeviceKind cuda_device();

class CudaMemory;

/// For a kernel's own operations on GPUs (its folder cuda/): memory, and copies outside of streams.
/// Throws Failure for another device.
CudaMemory& cuda_memory(Device& device);

// The parts of the device, for its constructor and tests.

/// PCI addresses of the GPUs that CUDA_VISIBLE_DEVICES or the batch system let this process see, by
/// number. None if why_no_cuda() has a reason.
std::vector<std::string> pci_buses();

/// The calling thread's current GPU. Its facts are from the CUDA runtime, and from NVML if that
/// exists.
std::unique_ptr<Accelerator> make_cuda_accelerator();

/// Why no CUDA device is available (no driver, an old one, no GPU), or nothing. Local.
std::optional<std::string> why_no_cuda();

/// cuBLAS for products, in true float32 (its default uses TF32 or emulation only if environment
/// variables ask for them, which description() then names); a kernel of ours for matrix times
/// vector. The first product on a stream allocates cuBLAS's workspace for the stream. Throws
/// Unavailable if cuBLAS cannot be loaded.
std::unique_ptr<Blas> make_cuda_blas(CudaMemory& memory);

}  // namespace quartet::device

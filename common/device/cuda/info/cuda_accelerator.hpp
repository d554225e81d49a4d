#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/accelerator.hpp"

namespace quartet::device {

/// PCI addresses of the GPUs that this process sees, by number: those that CUDA_VISIBLE_DEVICES or
/// the batch system leave it. None if why_no_cuda() has a reason.
std::vector<std::string> pci_buses();

/// The GPU that is current for the calling thread. Its facts are the runtime's, and NVML's where
/// that is there.
std::unique_ptr<Accelerator> make_cuda_accelerator();

/// Why no CUDA device can be had here (no driver, no GPU, one that is too old), or nothing. Local.
std::optional<std::string> why_no_cuda();

}  // namespace quartet::device

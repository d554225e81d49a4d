#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/accelerator.hpp"

namespace quartet::device {

/// PCI addresses of the GPUs that CUDA_VISIBLE_DEVICES or the batch system let this process see, by
/// number. None if why_no_cuda() has a reason.
std::vector<std::string> pci_buses();

/// The calling thread's current GPU. Its facts are from the CUDA runtime, and from NVML if that
/// exists.
std::unique_ptr<Accelerator> make_cuda_accelerator();

/// Why no CUDA device is available (no driver, an old one, no GPU), or nothing. Local.
std::optional<std::string> why_no_cuda();

}  // namespace quartet::device

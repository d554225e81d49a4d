#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/gpu_facts.hpp"

namespace quartet::device {

/// Facts about the GPU at `pci_bus` ("0000:01:00.0") by NVML, which is loaded for it and need not
/// be there. Throws nothing.
GpuFacts read_gpu_facts(const std::string& pci_bus);

/// NVML's throttle reasons in words, in the mask's order; unknown bits by number.
std::vector<std::string> throttle_reasons(std::uint64_t mask);

}  // namespace quartet::device

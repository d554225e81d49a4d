#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/info/nvml.hpp"
#include "device/gpu_facts.hpp"

namespace quartet::device {

/// One GPU as NVML tells of it. NVML is loaded for it, need not be there, and stays initialised as
/// long as this lives. Used by one thread at a time.
class NvmlGpu {
  public:
    /// The GPU at `pci_bus` ("0000:01:00.0"). Throws nothing.
    explicit NvmlGpu(std::string pci_bus, const char* library = "libnvidia-ml.so.1");

    /// As they are now. Where NVML knows nothing they say why; where it refuses a single question,
    /// or lacks its function, that fact is empty.
    [[nodiscard]] GpuFacts facts() const;
    [[nodiscard]] GpuCounters counters() const;

  private:
    std::string pci_bus_;
    std::string why_empty_;
    std::shared_ptr<const Nvml> nvml_;  ///< initialised; null: see why_empty_
    Nvml::Device gpu_ = nullptr;
    bool is_partitioned_ = false;  ///< then its energy is not that of our part
};

/// NVML's throttle reasons in words, in the mask's order; unknown bits by number.
std::vector<std::string> throttle_reasons(std::uint64_t mask);

}  // namespace quartet::device

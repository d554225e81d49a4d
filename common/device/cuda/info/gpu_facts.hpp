#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::device {

/// What the driver tells of one GPU at one time, for the record. What it does not tell is empty.
struct GpuFacts {
    std::string why_empty;  ///< why the driver tells nothing; empty where it does
    std::string name;
    std::string uuid;
    std::string driver;  ///< its version
    std::string pci_bus;
    std::optional<Bytes> memory;
    std::optional<int> clock_mhz;         ///< of the multiprocessors, now
    std::optional<int> memory_clock_mhz;  ///< now
    std::optional<int> most_clock_mhz;
    std::vector<std::string> throttled_by;  ///< why the clocks are lower than they could be, now
    std::optional<bool> error_correction;   ///< ECC memory
    std::optional<bool> partitioned;        ///< MIG
    std::optional<double> power_limit_watts;
    std::optional<double> energy_joules;  ///< since the driver was loaded: take differences
    std::optional<int> temperature_celsius;
};

/// Of the GPU at `pci_bus` ("0000:01:00.0"), by NVML, which is loaded for it and need not be there.
/// Throws nothing.
GpuFacts read_gpu_facts(const std::string& pci_bus);

/// NVML's throttle reasons in words; the mask's order, unknown bits by number.
std::vector<std::string> throttle_reasons(std::uint64_t mask);

}  // namespace quartet::device

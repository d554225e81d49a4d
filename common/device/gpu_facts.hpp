#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::device {

/// The facts that the driver tells about one GPU at one time, for the record. Facts that it does
/// not tell are empty.
struct GpuFacts {
    std::string why_empty;  ///< why the driver tells nothing; empty if it does
    std::string name;
    std::string uuid;
    std::string driver;  ///< its version
    std::string pci_bus;
    std::optional<int> architecture;  ///< the compute capability: 90 for 9.0
    std::optional<int> multiprocessors;
    std::optional<int> memory_bus_bits;
    std::optional<int> most_memory_clock_mhz;
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

}  // namespace quartet::device

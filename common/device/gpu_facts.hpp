#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::device {

/// What the driver has counted of one GPU since it was loaded: take differences. What it does not
/// tell is empty. It counts in steps, of up to a tenth of a second.
struct GpuCounters {
    std::optional<double> energy_joules;
    std::optional<Seconds> power_capped;      ///< for which clocks were lowered: at its power limit
    std::optional<Seconds> thermally_slowed;  ///< likewise, since it was too hot
    std::optional<Seconds> power_braked;      ///< likewise, since the power supply asked for it
    std::optional<double> nvlink_sent;        ///< bytes over all of its NVLinks, without headers
    std::optional<double> pcie_sent;          ///< bytes over PCI Express
};

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
    /// Why the clocks are lower than they could be, now.
    std::optional<std::vector<std::string>> throttled_by;
    std::optional<bool> error_correction;  ///< ECC memory
    std::optional<bool> partitioned;       ///< MIG
    std::optional<double> power_limit_watts;
    std::optional<int> temperature_celsius;
    std::optional<int> pcie_generation;  ///< now: an idle GPU lowers it
    std::optional<int> pcie_width;       ///< lanes, now
    std::optional<int> most_pcie_generation;
    std::optional<int> most_pcie_width;
    std::optional<int> nvlink_links;   ///< that are active
    std::string nvlink_version;        ///< of these: "4.0"
    std::string compute_mode;          ///< "default", "exclusive process", "prohibited"
    std::optional<bool> persistence;   ///< whether the driver stays loaded without a process
    std::optional<int> mps_processes;  ///< that share it by MPS, now; ours are among them
    std::optional<bool> c2c;           ///< a processor's memory by NVLink-C2C
    GpuCounters counters;
};

}  // namespace quartet::device

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/units.hpp"

namespace quartet::device {

/// How fast one rank of a described machine computes while all ranks of its node do.
struct MachineRates {
    std::string name;       ///< of the file, without folder and ending
    double memory = 0;      ///< bytes per second that it reads and writes
    double products = 0;    ///< operations per second of float32 matrix products
    double transforms = 0;  ///< of complex128 transforms, 5 N log2 N counted
    Seconds launch;         ///< of an operation, and of waiting for it
};

/// From the text of a machine file (scripts/slurm/machine.schema.json): the object `rates` of it.
/// Throws UsageError that names what is missing or wrong, after the file's name.
MachineRates parse_machine_rates(std::string_view text, const std::filesystem::path& file);

/// Reads the rates from a machine file. Throws UsageError also if the file cannot be read. Local.
MachineRates read_machine_rates(const std::filesystem::path& file);

}  // namespace quartet::device

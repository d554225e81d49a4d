#pragma once

#include <nlohmann/json_fwd.hpp>

#include "device/accelerator.hpp"

namespace quartet::bench {

/// Facts that stay as they are while a job runs; what is not known is left out.
nlohmann::ordered_json lasting_facts(const device::GpuFacts& facts);
/// Facts that change, and counters since the driver was loaded.
nlohmann::ordered_json passing_facts(const device::GpuFacts& facts);

}  // namespace quartet::bench

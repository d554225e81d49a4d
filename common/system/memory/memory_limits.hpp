#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/units.hpp"

namespace quartet::system {

/// Memory in total, and how much of it can still be allocated.
struct MemoryAmounts {
    Bytes total;
    Bytes available;
    bool operator==(const MemoryAmounts&) const = default;
};

/// The memory limit of a control group, from the texts of its files: memory.max, memory.current and
/// memory.stat (v1: memory.limit_in_bytes, memory.usage_in_bytes, memory.stat). Its file cache
/// counts as available, since the kernel drops it on demand. Nothing if there is no limit:
/// "max", or v1's numbers near 2^63.
std::optional<MemoryAmounts> group_memory(std::string_view limit, std::string_view usage,
                                          std::string_view statistics);

/// The least of the machine's memory (without the memory of GPUs) and the limits of the process's
/// control group and of the groups above it. `root` is the folder of proc/ and sys/; other than "/"
/// in tests. Throws Failure unless proc/meminfo has MemTotal and MemAvailable. Local.
MemoryAmounts read_memory(const std::filesystem::path& root = "/");

}  // namespace quartet::system

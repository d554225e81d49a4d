#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace quartet::comm {

/// Memory that there is, and what of it is still free to be taken.
struct MemoryAmounts {
    Bytes total;
    Bytes available;
    bool operator==(const MemoryAmounts&) const = default;
};

/// MemTotal and MemAvailable of a text like /proc/meminfo. Throws Failure where one is missing.
MemoryAmounts parse_meminfo(std::string_view text);

/// Which of the two layouts of Linux control groups.
enum class ControlGroupVersion { v1, v2 };

/// The control group of a process that accounts its memory, as a path below the hierarchy's mount.
struct ControlGroup {
    ControlGroupVersion version = ControlGroupVersion::v2;
    std::string path;
    bool operator==(const ControlGroup&) const = default;
};

/// The groups that a text like /proc/self/cgroup names: that of the v1 memory controller and that
/// of the v2 hierarchy, as far as they are there.
std::vector<ControlGroup> parse_control_groups(std::string_view text);

/// What a control group leaves its members: `limit`, `usage` and `statistics` are the texts of its
/// files memory.max, memory.current and memory.stat (v1: memory.limit_in_bytes,
/// memory.usage_in_bytes, memory.stat). Its file cache counts as available, since the kernel drops
/// it on demand. Nothing where there is no limit: "max", or v1's numbers near 2^63.
std::optional<MemoryAmounts> group_memory(std::string_view limit, std::string_view usage,
                                          std::string_view statistics);

/// The machine's memory, or what the process's control group and those above it leave, where that
/// is less. `root` is where proc/ and sys/ are; other than "/" in tests. Throws Failure where there
/// is no proc/meminfo. Local.
MemoryAmounts read_memory(const std::filesystem::path& root = "/");

}  // namespace quartet::comm

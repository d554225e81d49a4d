#include "system/memory/memory_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/check.hpp"
#include "system/control_groups.hpp"
#include "system/system_text.hpp"

namespace quartet::system {

namespace {

// The number after `key` and a separator, on a line that begins with `key`.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view key, char separator) {
    while (!text.empty()) {
        auto line = take_until(text, '\n');
        if (take_until(line, separator) == key) {
            return parse_number(line);
        }
    }
    return std::nullopt;
}

struct GroupFiles {
    const char* limit;
    const char* usage;
};

GroupFiles files_of(ControlGroupVersion version) {
    return version == ControlGroupVersion::v1
               ? GroupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes"}
               : GroupFiles{"memory.max", "memory.current"};
}

void limit(MemoryAmounts& amounts, const MemoryAmounts& group) {
    amounts.total = std::min(amounts.total, group.total);
    amounts.available = std::min(amounts.available, group.available);
}

void limit_by(MemoryAmounts& amounts, const GroupFolder& group) {
    const GroupFiles files = files_of(group.version);
    const auto most = read_text(group.path / files.limit);
    const auto usage = read_text(group.path / files.usage);
    if (most && usage) {
        const auto statistics = read_text(group.path / "memory.stat").value_or("");
        if (const auto left = group_memory(*most, *usage, statistics)) {
            limit(amounts, *left);
        }
    }
}

}  // namespace

MemoryAmounts parse_meminfo(std::string_view text) {
    const auto total = number_of(text, "MemTotal", ':');
    const auto available = number_of(text, "MemAvailable", ':');
    check(total && available, "/proc/meminfo says neither MemTotal nor MemAvailable");
    return {kibibytes(*total), kibibytes(*available)};
}

std::optional<MemoryAmounts> group_memory(std::string_view limit, std::string_view usage,
                                          std::string_view statistics) {
    // v1 writes the greatest multiple of the page size for "no limit", and pages can have 64 KiB;
    // no machine has this much.
    constexpr std::int64_t unlimited = std::int64_t{1} << 60;
    const auto most = parse_number(limit);
    const auto used = parse_number(usage);
    if (!most || !used || *most >= unlimited) {
        return std::nullopt;
    }
    std::int64_t cache = 0;
    for (const std::string prefix : {"", "total_"}) {  // v1's "total_" includes the groups below
        const auto active = number_of(statistics, prefix + "active_file", ' ').value_or(0);
        const auto inactive = number_of(statistics, prefix + "inactive_file", ' ').value_or(0);
        cache = std::max(cache, active + inactive);
    }
    const auto held = std::clamp(*used - cache, std::int64_t{0}, *most);
    return MemoryAmounts{{*most}, {*most - held}};
}

MemoryAmounts read_memory(const std::filesystem::path& root) {
    const auto meminfo = read_text(root / "proc/meminfo");
    check(meminfo.has_value(), "/proc/meminfo cannot be read");
    MemoryAmounts amounts = parse_meminfo(*meminfo);
    for (const auto& folder : group_folders(root, "memory")) {
        limit_by(amounts, folder);
    }
    return amounts;
}

}  // namespace quartet::system

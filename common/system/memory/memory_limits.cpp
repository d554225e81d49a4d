#include "system/memory/memory_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>

#include "core/check.hpp"
#include "system/system_text.hpp"

namespace quartet::system {

namespace {

std::optional<std::int64_t> number_of(std::string_view text, std::string_view key, char separator) {
    return parse_number(value_of(text, key, separator));
}

void limit_by(MemoryAmounts& amounts, const GroupFolder& group) {
    const bool first = group.version == ControlGroupVersion::v1;
    const auto most = read_text(group.path / (first ? "memory.limit_in_bytes" : "memory.max"));
    const auto usage = read_text(group.path / (first ? "memory.usage_in_bytes" : "memory.current"));
    if (!most || !usage) {
        return;
    }
    const auto statistics = read_text(group.path / "memory.stat").value_or("");
    if (const auto left = group_memory(*most, *usage, statistics)) {
        amounts.total = std::min(amounts.total, left->total);
        amounts.available = std::min(amounts.available, left->available);
    }
}

// The GPU memory that meminfo counts: where processor and GPU are coherent (Grace Hopper), the
// driver adds it as NUMA nodes. It names the node, or -1 (nv-procfs.c of NVIDIA's open modules).
MemoryAmounts memory_of_gpus(const std::filesystem::path& root) {
    std::set<std::int64_t> nodes;
    std::error_code no_driver;
    for (const auto& gpu :
         std::filesystem::directory_iterator(root / "proc/driver/nvidia/gpus", no_driver)) {
        const auto status = read_text(gpu.path() / "numa_status").value_or("");
        nodes.insert(number_of(status, "Node", ':').value_or(-1));
    }
    MemoryAmounts amounts;
    for (const std::int64_t node : nodes) {
        const std::string number = std::to_string(node);
        const std::string name = "Node " + number + " Mem";
        const auto text =
            read_text(root / ("sys/devices/system/node/node" + number) / "meminfo").value_or("");
        const auto of = [&](const char* kind) {
            return kibibytes(number_of(text, name + kind, ':').value_or(0));
        };
        amounts.total = amounts.total + of("Total");
        amounts.available = amounts.available + of("Free");
    }
    return amounts;
}

}  // namespace

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
    const auto total = number_of(*meminfo, "MemTotal", ':');
    const auto available = number_of(*meminfo, "MemAvailable", ':');
    check(total && available, "/proc/meminfo lacks MemTotal or MemAvailable");
    const MemoryAmounts of_gpus = memory_of_gpus(root);
    MemoryAmounts amounts{kibibytes(*total) - of_gpus.total,
                          std::max(kibibytes(*available) - of_gpus.available, Bytes{})};
    for (const auto& folder : group_folders(root, "memory")) {
        limit_by(amounts, folder);
    }
    return amounts;
}

}  // namespace quartet::system

#include "comm/memory_limits.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/check.hpp"

namespace quartet::comm {

namespace {

// Takes the text up to `end` off the front of `text`, and `end` with it.
std::string_view take_until(std::string_view& text, char end) {
    const auto length = std::min(text.find(end), text.size());
    const auto taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// The number after `key` and a separator, on a line that begins with `key`.
std::optional<std::int64_t> value_of(std::string_view text, std::string_view key, char separator) {
    while (!text.empty()) {
        auto line = take_until(text, '\n');
        if (take_until(line, separator) == key) {
            return parse_number(line);
        }
    }
    return std::nullopt;
}

std::optional<std::string> read_text(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
}

struct GroupFiles {
    const char* mount;
    const char* limit;
    const char* usage;
};

GroupFiles files_of(ControlGroupVersion version) {
    if (version == ControlGroupVersion::v1) {
        return {"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"};
    }
    return {"sys/fs/cgroup", "memory.max", "memory.current"};
}

void limit(MemoryAmounts& amounts, const MemoryAmounts& group) {
    amounts.total = std::min(amounts.total, group.total);
    amounts.available = std::min(amounts.available, group.available);
}

// Limits hold for all groups below the one that has them. Files may be missing: the topmost group
// has none, and in a container the path can be the host's, of which only the mount itself is there.
void limit_by(MemoryAmounts& amounts, const ControlGroup& group,
              const std::filesystem::path& root) {
    const GroupFiles files = files_of(group.version);
    const auto mount = root / files.mount;
    auto relative = std::filesystem::path(group.path).relative_path().lexically_normal();
    while (true) {
        const auto folder = mount / relative;
        const auto most = read_text(folder / files.limit);
        const auto usage = read_text(folder / files.usage);
        if (most && usage) {
            const auto statistics = read_text(folder / "memory.stat").value_or("");
            if (const auto left = group_memory(*most, *usage, statistics)) {
                limit(amounts, *left);
            }
        }
        if (relative.empty() || relative == ".") {
            return;
        }
        relative = relative.parent_path();
    }
}

}  // namespace

MemoryAmounts parse_meminfo(std::string_view text) {
    const auto total = value_of(text, "MemTotal", ':');
    const auto available = value_of(text, "MemAvailable", ':');
    check(total && available, "/proc/meminfo says neither MemTotal nor MemAvailable");
    return {kibibytes(*total), kibibytes(*available)};
}

std::vector<ControlGroup> parse_control_groups(std::string_view text) {
    std::vector<ControlGroup> groups;
    while (!text.empty()) {
        // number:controllers:path, where the one v2 hierarchy has number 0 and no controllers
        auto line = take_until(text, '\n');
        const auto number = take_until(line, ':');
        auto controllers = take_until(line, ':');
        if (number == "0" && controllers.empty()) {
            groups.push_back({ControlGroupVersion::v2, std::string(line)});
        }
        while (!controllers.empty()) {
            if (take_until(controllers, ',') == "memory") {
                groups.push_back({ControlGroupVersion::v1, std::string(line)});
            }
        }
    }
    return groups;
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
        const auto active = value_of(statistics, prefix + "active_file", ' ').value_or(0);
        const auto inactive = value_of(statistics, prefix + "inactive_file", ' ').value_or(0);
        cache = std::max(cache, active + inactive);
    }
    const auto held = std::clamp(*used - cache, std::int64_t{0}, *most);
    return MemoryAmounts{{*most}, {*most - held}};
}

MemoryAmounts read_memory(const std::filesystem::path& root) {
    const auto meminfo = read_text(root / "proc/meminfo");
    check(meminfo.has_value(), "/proc/meminfo cannot be read");
    MemoryAmounts amounts = parse_meminfo(*meminfo);
    const auto groups = read_text(root / "proc/self/cgroup").value_or("");
    for (const auto& group : parse_control_groups(groups)) {
        limit_by(amounts, group, root);
    }
    return amounts;
}

}  // namespace quartet::comm

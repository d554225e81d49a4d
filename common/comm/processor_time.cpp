#include "comm/processor_time.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "comm/control_groups.hpp"
#include "comm/system_text.hpp"

namespace quartet::comm {

namespace {

// One file "quota period", or two.
std::optional<double> quota_of(const GroupFolder& group) {
    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    if (group.version == ControlGroupVersion::v2) {
        const auto text = read_text(group.path / "cpu.max").value_or("");
        std::string_view rest = text;
        quota = parse_number(take_until(rest, ' '));  // or "max"
        period = parse_number(rest);
    } else {
        quota = parse_number(read_text(group.path / "cpu.cfs_quota_us").value_or(""));  // or -1
        period = parse_number(read_text(group.path / "cpu.cfs_period_us").value_or(""));
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

// "3" of "cpu3"; nothing of "cpu" and of "intr".
std::optional<int> processor_of(const std::string& name) {
    constexpr std::string_view prefix = "cpu";
    int number = 0;
    if (!name.starts_with(prefix)) {
        return std::nullopt;
    }
    const auto result =
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<double> processor_quota(const std::filesystem::path& root) {
    std::optional<double> least;
    for (const auto& folder : group_folders(root, "cpu")) {
        if (const auto quota = quota_of(folder)) {
            least = std::min(*quota, least.value_or(*quota));
        }
    }
    return least;
}

Seconds stolen_time(std::span<const int> processors, const std::filesystem::path& root) {
    std::ifstream stat(root / "proc/stat");
    std::int64_t ticks = 0;
    std::string line;
    while (std::getline(stat, line) && line.starts_with("cpu")) {
        // name user nice system idle iowait irq softirq steal ...
        std::istringstream fields(line);
        std::string name;
        std::int64_t used = 0;
        std::int64_t stolen = 0;
        fields >> name;
        for (int before = 0; before < 7; ++before) {
            fields >> used;
        }
        const auto processor = processor_of(name);
        if (fields >> stolen && processor && std::ranges::count(processors, *processor) > 0) {
            ticks += stolen;
        }
    }
    return {static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

}  // namespace quartet::comm

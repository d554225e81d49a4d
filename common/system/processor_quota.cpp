#include "system/processor_quota.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "system/control_groups.hpp"
#include "system/system_text.hpp"

namespace quartet::system {

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

}  // namespace quartet::system

#include "system/processor.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

struct ArmPart {
    std::string_view implementer;
    std::string_view part;
    std::string_view name;
};

// Numbers of the main identification register, and the names that util-linux's lscpu gives them.
constexpr std::array arm_parts{
    ArmPart{"0x41", "0xd08", "Arm Cortex-A72"},        ArmPart{"0x41", "0xd0b", "Arm Cortex-A76"},
    ArmPart{"0x41", "0xd0c", "Arm Neoverse N1"},       ArmPart{"0x41", "0xd40", "Arm Neoverse V1"},
    ArmPart{"0x41", "0xd49", "Arm Neoverse N2"},       ArmPart{"0x41", "0xd4f", "Arm Neoverse V2"},
    ArmPart{"0x41", "0xd84", "Arm Neoverse V3"},       ArmPart{"0x41", "0xd8e", "Arm Neoverse N3"},
    ArmPart{"0x43", "0x0af", "Marvell ThunderX2"},     ArmPart{"0x46", "0x001", "Fujitsu A64FX"},
    ArmPart{"0x48", "0xd01", "HiSilicon Kunpeng 920"}, ArmPart{"0xc0", "0xac3", "AmpereOne"}};

}  // namespace

std::string processor_name(std::string_view cpuinfo) {
    if (std::string name = value_of(cpuinfo, "model name", ':'); !name.empty()) {
        return name;
    }
    const std::string implementer = value_of(cpuinfo, "CPU implementer", ':');
    const std::string part = value_of(cpuinfo, "CPU part", ':');
    if (implementer.empty() || part.empty()) {
        return "processor of unknown model";
    }
    const auto known = std::ranges::find_if(arm_parts, [&](const ArmPart& candidate) {
        return candidate.implementer == implementer && candidate.part == part;
    });
    return known != arm_parts.end()
               ? std::string(known->name)
               : fmt::format("Arm processor (implementer {}, part {})", implementer, part);
}

namespace {

namespace fs = std::filesystem;

// "32K", "2048K", "36M", as sysfs writes them.
Bytes parse_size(const std::string& text) {
    const std::int64_t number = parse_number(text).value_or(0);
    return text.ends_with('K')   ? kibibytes(number)
           : text.ends_with('M') ? mebibytes(number)
                                 : Bytes{number};
}

// "0-3,8", a list of CPUs.
int count_listed(std::string_view list) {
    std::int64_t count = 0;
    while (!list.empty()) {
        std::string_view range = take_until(list, ',');
        const std::int64_t first = parse_number(take_until(range, '-')).value_or(0);
        count += parse_number(range).value_or(first) - first + 1;
    }
    return static_cast<int>(std::max<std::int64_t>(count, 1));
}

}  // namespace

std::vector<Cache> caches() {
    std::vector<Cache> all;
    const fs::path folder = "/sys/devices/system/cpu/cpu0/cache";
    std::error_code unseen;
    for (int index = 0; fs::exists(folder / fmt::format("index{}", index), unseen); ++index) {
        const fs::path cache = folder / fmt::format("index{}", index);
        all.push_back({first_line(cache / "type"),
                       static_cast<int>(parse_number(first_line(cache / "level")).value_or(0)),
                       parse_size(first_line(cache / "size")),
                       count_listed(first_line(cache / "shared_cpu_list"))});
    }
    return all;
}

Bytes cache_share(const std::vector<Cache>& all) {
    Bytes sum;
    for (const Cache& cache : all)
        if (cache.level > 1)
            sum = sum + std::min(Bytes{cache.size.value / cache.cores}, mebibytes(16));
    return sum > Bytes{} ? sum : mebibytes(4);
}

namespace {

// Version 2 has one file "quota period", version 1 has a file for each.
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

std::vector<int> openmp_places() {
    // `master` puts all threads where the main one is.
    const omp_proc_bind_t binding = omp_get_proc_bind();
    std::vector<int> cpus;
    if (binding == omp_proc_bind_false || binding == omp_proc_bind_master) {
        return cpus;
    }
    for (int place = 0; place < omp_get_num_places(); ++place) {
        std::vector<int> members(static_cast<std::size_t>(omp_get_place_num_procs(place)));
        omp_get_place_proc_ids(place, members.data());
        cpus.insert(cpus.end(), members.begin(), members.end());
    }
    std::ranges::sort(cpus);
    const auto repeated = std::ranges::unique(cpus);
    cpus.erase(repeated.begin(), repeated.end());
    return cpus;
}

namespace {

// The columns of a line of proc/stat, in its order.
enum Column { user, nice, system_time, idle, iowait, irq, softirq, steal, column_count };
using Ticks = std::array<std::int64_t, column_count>;

// "cpu3 user nice system idle iowait irq softirq steal ...", in ticks; 0 if there are fewer.
Ticks ticks_of(std::string_view line) {
    Ticks ticks{};
    take_until(line, ' ');
    for (std::int64_t& value : ticks) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        value = parse_number(line).value_or(0);
        take_until(line, ' ');
    }
    return ticks;
}

Seconds seconds_of(std::int64_t ticks) {
    return {static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

constexpr std::string_view prefix = "cpu";

}  // namespace

std::optional<Seconds> steal_time(std::span<const int> processors, const fs::path& root) {
    const auto text = read_text(root / "proc/stat").value_or("");
    std::string_view rest = text;
    std::int64_t ticks = 0;
    while (rest.starts_with(prefix)) {
        const auto line = take_until(rest, '\n');
        const auto name = line.substr(prefix.size(), line.find(' ') - prefix.size());
        const auto processor = parse_number(name);  // none in the first line: the sum of all
        if (processor && std::ranges::count(processors, *processor) > 0) {
            ticks += ticks_of(line)[steal];
        }
    }
    return ticks == 0 ? std::nullopt : std::optional(seconds_of(ticks));
}

std::optional<Seconds> busy_time(const fs::path& root) {
    const auto text = read_text(root / "proc/stat").value_or("");
    std::string_view rest = text;
    const auto all = take_until(rest, '\n');
    if (!all.starts_with("cpu ")) {
        return std::nullopt;
    }
    const Ticks ticks = ticks_of(all);
    return seconds_of(ticks[user] + ticks[nice] + ticks[system_time] + ticks[irq] + ticks[softirq]);
}

}  // namespace quartet::system

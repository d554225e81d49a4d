#include "system/processor_time.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

namespace fs = std::filesystem;

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
        const auto processor = parse_number(name);  // none: all together
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

std::optional<Seconds> run_queue_time(const fs::path& root) {
    constexpr double nanosecond = 1e-9;
    std::error_code error;
    std::optional<Seconds> all;
    for (auto task = fs::directory_iterator(root / "proc/self/task", error);
         !error && task != fs::directory_iterator(); task.increment(error)) {
        const auto text = read_text(task->path() / "schedstat");  // gone where a thread has ended
        if (!text) {
            continue;
        }
        std::string_view rest = *text;
        take_until(rest, ' ');
        if (const auto waited = parse_number(rest)) {
            all = all.value_or(Seconds{}) + nanosecond * static_cast<double>(*waited) * Seconds{1};
        }
    }
    return all;
}

std::optional<double> processor_megahertz(int processor, const fs::path& root) {
    constexpr double kilohertz = 1e-3;
    const auto text = read_text(
        root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", processor));
    const auto clock = text ? parse_number(*text) : std::nullopt;
    return clock ? std::optional(kilohertz * static_cast<double>(*clock)) : std::nullopt;
}

}  // namespace quartet::system

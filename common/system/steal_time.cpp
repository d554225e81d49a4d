#include "system/steal_time.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

// "cpu3 user nice system idle iowait irq softirq steal ...", in ticks.
std::int64_t steal_ticks(std::string_view line) {
    constexpr int fields_before = 8;
    for (int field = 0; field < fields_before; ++field) {
        take_until(line, ' ');
    }
    return parse_number(line).value_or(0);
}

}  // namespace

std::optional<Seconds> steal_time(std::span<const int> processors,
                                  const std::filesystem::path& root) {
    const auto text = read_text(root / "proc/stat").value_or("");
    std::string_view rest = text;
    std::int64_t ticks = 0;
    constexpr std::string_view prefix = "cpu";
    while (rest.starts_with(prefix)) {
        const auto line = take_until(rest, '\n');
        const auto name = line.substr(prefix.size(), line.find(' ') - prefix.size());
        const auto processor = parse_number(name);  // none: all together
        if (processor && std::ranges::count(processors, *processor) > 0) {
            ticks += steal_ticks(line);
        }
    }
    if (ticks == 0) {
        return std::nullopt;
    }
    return Seconds{static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

}  // namespace quartet::system

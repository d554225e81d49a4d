#include "system/caches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "system/system_text.hpp"

namespace quartet::system {

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

Bytes find_cache_share() {
    Bytes sum;
    for (const Cache& cache : caches()) {
        if (cache.level > 1)
            sum = sum + Bytes{cache.size.value / cache.cores};
    }
    return sum > Bytes{} ? sum : mebibytes(4);
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

Bytes cache_share() {
    static const Bytes share = find_cache_share();
    return share;
}

}  // namespace quartet::system

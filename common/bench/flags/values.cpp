#include "bench/flags/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <regex>

#include "bench/session/session.hpp"

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet::bench {

namespace {

constexpr std::ptrdiff_t most_members = 1000;

std::int64_t require_between(std::int64_t value, std::string_view text, std::int64_t least,
                             std::int64_t most) {
    if (value < least || value > most) {
        throw UsageError(fmt::format("{} is out of range: {} to {}", quotation(text), least, most));
    }
    return value;
}

// Nobody runs more, and finding repeated members compares each new member with all others.
void require_few(std::ptrdiff_t members, std::string_view text) {
    if (members > most_members) {
        throw UsageError(
            fmt::format("{} has too many members: give at most {}", quotation(text), most_members));
    }
}

// "2:128" gives sizes from 2 to at most 128, each twice the one before; "2" gives this size alone.
std::vector<std::int64_t> parse_range(std::string_view text,
                                      const std::function<std::int64_t(std::string_view)>& read) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        return {read(text)};
    }
    const std::int64_t first = read(text.substr(0, colon));
    const std::int64_t last = read(text.substr(colon + 1));
    if (first > last) {
        throw UsageError(
            fmt::format("{} is an empty range: write smallest:largest", quotation(text)));
    }
    std::vector<std::int64_t> sizes{first};
    while (sizes.back() <= last / 2) {
        sizes.push_back(2 * sizes.back());
    }
    return sizes;
}

}  // namespace

std::vector<std::string> parse_list(std::string_view text) {
    require_few(std::ranges::count(text, ',') + 1, text);
    std::vector<std::string> members;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        if (comma == begin) {
            throw UsageError(
                fmt::format("{} has an empty member: separate by single commas", quotation(text)));
        }
        std::string member(text.substr(begin, comma - begin));
        if (std::ranges::find(members, member) == members.end()) {
            members.push_back(std::move(member));
        }
        begin = comma + 1;
    }
    return members;
}

std::vector<std::int64_t> parse_sizes(std::string_view text,
                                      const std::function<std::int64_t(std::string_view)>& read) {
    std::vector<std::int64_t> sizes;
    for (const std::string& member : parse_list(text)) {
        for (const std::int64_t size : parse_range(member, read)) {
            if (std::ranges::find(sizes, size) == sizes.end()) {
                sizes.push_back(size);
            }
        }
        require_few(std::ssize(sizes), text);
    }
    return sizes;
}

std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t most) {
    return parse_sizes(text, [most](std::string_view one) { return parse_size(one, most); });
}

std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most) {
    return require_between(quartet::parse_count(text), text, least, most);
}

std::int64_t parse_size(std::string_view text, std::int64_t most) {
    return require_between(parse_elements(text), text, 1, most);
}

GpuMap parse_gpu_map(std::string_view text) {
    constexpr int most_gpus = 1024;  // no node has more
    GpuMap map;
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        map.push_back(static_cast<int>(parse_count(text.substr(0, comma), 0, most_gpus - 1)));
        if (comma == text.size()) {
            return map;
        }
        text.remove_prefix(comma + 1);
    }
}

std::string join_sizes(const std::vector<std::int64_t>& sizes) {
    return fmt::format("{}", fmt::join(sizes, ","));
}

namespace {

constexpr std::size_t longest_pattern = 200;
constexpr std::size_t most_names = 4;

// libstdc++'s own flag __polynomial refuses back-references, and bounds the time of patterns that
// otherwise take exponential time, such as (.*)*x.
std::regex compiled(const std::string& pattern) {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

std::vector<std::string> row_names(const PlannedCase& planned) {
    std::vector<std::string> names{planned.name.text()};
    if (planned.has_paper_time) {
        names.push_back(planned.name.with_suffix(paper_suffix).text());
    }
    return names;
}

std::string first_names(const std::vector<PlannedCase>& plan) {
    std::vector<std::string> names;
    for (const PlannedCase& planned : plan) {
        std::ranges::copy(row_names(planned), std::back_inserter(names));
    }
    const std::size_t shown = std::min(names.size(), most_names);
    const std::string text = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

}  // namespace

std::string parse_filter(const std::string& pattern) {
    if (pattern.empty() || pattern.size() > longest_pattern) {
        throw UsageError(
            fmt::format("{} is not a filter (1 to {} characters): give a part of rows' names",
                        quotation(pattern), longest_pattern));
    }
    try {
        static_cast<void>(compiled(pattern));
    } catch (const std::regex_error&) {
        throw UsageError(
            fmt::format("{} is not a regular expression (ECMAScript, without \\1): write \\ "
                        "before a special character that stands for itself",
                        quotation(pattern)));
    }
    return pattern;
}

void apply_filter(Session& session) {
    const auto& filter = session.options().filter;
    if (!filter) {
        return;
    }
    const std::regex pattern = compiled(*filter);
    const auto is_other = [&](const PlannedCase& planned) {
        return std::ranges::none_of(row_names(planned), [&](const std::string& name) {
            return std::regex_search(name, pattern);
        });
    };
    if (std::ranges::all_of(session.plan(), is_other)) {
        throw UsageError(fmt::format("--filter: {} matches no row: there are {}",
                                     quotation(*filter), first_names(session.plan())));
    }
    std::erase_if(session.plan(), is_other);
}

}  // namespace quartet::bench

#include "bench/flags/filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

namespace quartet::bench {

namespace {

constexpr std::size_t longest_pattern = 200;
constexpr std::size_t most_names = 4;

// Without back-references, and with them without patterns that take exponentially long, such as
// (.*)*x: the flag is libstdc++'s own.
std::regex compiled(const std::string& pattern) {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

std::vector<std::string> row_names(const PlannedCase& planned) {
    std::vector<std::string> names;
    if (planned.whole == WholeRow::reported) {
        names.push_back(planned.name.text());
    }
    for (const ClockRow& row : planned.clock_rows) {
        names.push_back(planned.name.with_suffix(row.name).text());
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
            fmt::format("{} is no regular expression (ECMAScript's, without \\1): write "
                        "\\ before a sign that stands for itself",
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

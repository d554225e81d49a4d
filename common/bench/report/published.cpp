#include "bench/report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "bench/program/version.hpp"
#include "core/check.hpp"
#include "core/files/file.hpp"
#include "core/files/json_text.hpp"

namespace quartet::bench {

namespace {

constexpr int schema_version = 1;

using Conditions = std::map<std::string, std::string>;

// How far apart two numbers of workers are; nothing where one of them is not known.
std::optional<double> distance(const Conditions& ours, std::optional<double> theirs) {
    const auto workers = ours.find("workers");
    if (workers == ours.end() || !theirs) {
        return std::nullopt;
    }
    return std::abs(std::log2(std::stod(workers->second) / *theirs));
}

}  // namespace

PublishedNumbers::PublishedNumbers(const std::filesystem::path& folder, std::string_view kernel) {
    const std::filesystem::path file = folder / fmt::format("{}.json", kernel);
    std::error_code unreadable;  // which reading says, too
    if (!std::filesystem::exists(file, unreadable)) {
        return;
    }
    try {
        const auto document = parse_json(contents(file));
        check(document.at("schema_version").get<int>() <= schema_version, "newer schema");
        const std::string source = document.at("source").at("short").get<std::string>();
        for (const auto& item : document.at("numbers")) {
            Entry entry;
            item.at("value").get_to(entry.number.value);
            check(entry.number.value > 0 && std::isnormal(entry.number.value), "no rate");
            item.at("unit").get_to(entry.number.unit);
            item.at("bound").get_to(entry.number.bound);
            item.at("conditions").get_to(entry.number.conditions);
            entry.number.source = fmt::format("{}, section {}", item.value("source", source),
                                              item.at("section").get<std::string>());
            entry.number.caveat = item.value("caveat", "");
            item.at("match").get_to(entry.match);
            if (entry.match.contains("nodes")) {
                entry.number.nodes = std::stoi(entry.match.at("nodes"));
            }
            if (item.contains("workers")) {
                entry.workers = item.at("workers").get<double>();
            }
            entries_.push_back(std::move(entry));
        }
    } catch (const std::exception& error) {
        throw Failure(
            fmt::format("{}: not a file of published numbers ({})", file.string(), error.what()));
    }
}

std::optional<Comparison> PublishedNumbers::nearest(const Conditions& conditions,
                                                    std::string_view unit, double rate) const {
    constexpr double far = 1e9;
    // The more equal keys the better, then the nearer, then the greater.
    using Merit = std::tuple<std::ptrdiff_t, double, double>;
    std::optional<std::pair<Merit, const Entry*>> best;
    for (const Entry& entry : entries_) {
        const auto known = [&](const auto& key) { return conditions.contains(key.first); };
        const bool fits =
            entry.number.unit == unit && std::ranges::all_of(entry.match, [&](const auto& key) {
                return !known(key) || conditions.at(key.first) == key.second;
            });
        const Merit merit{std::ranges::count_if(entry.match, known),
                          -distance(conditions, entry.workers).value_or(far), entry.number.value};
        if (fits && (!best || merit > best->first)) {
            best.emplace(merit, &entry);
        }
    }
    if (!best) {
        return std::nullopt;
    }
    Comparison comparison = best->second->number;
    comparison.ratio = rate / comparison.value;
    return comparison;
}

std::optional<std::filesystem::path> published_folder() {
    std::error_code error;
    const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path installed =
        executable.parent_path().parent_path() / "share" / "quartet" / "published";
    const std::filesystem::path source = std::filesystem::path(source_results()) / "published";
    for (const auto& folder : {installed, source}) {
        if (std::filesystem::is_directory(folder, error)) {
            return folder;
        }
    }
    return std::nullopt;
}

}  // namespace quartet::bench

#include "bench/report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/program/version.hpp"
#include "core/check.hpp"

namespace quartet::bench {

namespace {

constexpr int schema_version = 1;

}  // namespace

PublishedNumbers::PublishedNumbers(const std::filesystem::path& folder, std::string_view kernel) {
    const std::filesystem::path file = folder / fmt::format("{}.json", kernel);
    std::ifstream stream(file);
    if (!stream) {
        return;
    }
    try {
        const auto document = nlohmann::json::parse(stream);
        check(document.at("schema_version").get<int>() <= schema_version, "newer schema");
        const std::string source = document.at("source").at("short").get<std::string>();
        for (const auto& item : document.at("numbers")) {
            Entry entry;
            item.at("value").get_to(entry.number.value);
            item.at("unit").get_to(entry.number.unit);
            item.at("bound").get_to(entry.number.bound);
            item.at("conditions").get_to(entry.number.conditions);
            entry.number.source = fmt::format("{}, section {}", item.value("source", source),
                                              item.at("section").get<std::string>());
            entry.number.caveat = item.value("caveat", "");
            item.at("match").get_to(entry.match);
            entries_.push_back(std::move(entry));
        }
    } catch (const std::exception& error) {
        throw Failure(
            fmt::format("{}: not a file of published numbers ({})", file.string(), error.what()));
    }
}

std::optional<Comparison> PublishedNumbers::nearest(
    const std::map<std::string, std::string>& conditions, std::string_view unit,
    double rate) const {
    const Entry* best = nullptr;
    std::ptrdiff_t most = -1;
    for (const Entry& entry : entries_) {
        const auto known = [&](const auto& key) { return conditions.contains(key.first); };
        const bool fits =
            entry.number.unit == unit && std::ranges::all_of(entry.match, [&](const auto& key) {
                return !known(key) || conditions.at(key.first) == key.second;
            });
        const std::ptrdiff_t equal = std::ranges::count_if(entry.match, known);
        if (fits && equal > most) {
            best = &entry;
            most = equal;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    Comparison comparison = best->number;
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

#include "bench/report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "bench/results/row.hpp"
#include "bench/results/samples.hpp"
#include "bench/results/version.hpp"
#include "bench/session/session.hpp"
#include "core/check.hpp"
#include "core/files/file.hpp"
#include "core/files/json_text.hpp"

namespace quartet::bench {

namespace {

constexpr int schema_version = 1;

using Conditions = std::map<std::string, std::string>;

using Values = std::vector<std::string>;

constexpr double like_size = 2;  // sizes are alike within this factor

bool is_size(std::string_view factor) {
    return factor == "n" || factor == "size";
}

// 0 for what is no number.
double number_of(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

// Of the values that a number holds for, as a factor; infinite where one is no size.
double distance(const std::string& ours, const Values& theirs) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::string& their : theirs) {
        const double apart = std::abs(std::log2(number_of(ours) / number_of(their)));
        nearest = std::isnan(apart) ? nearest : std::min(nearest, apart);
    }
    return nearest;
}

bool are_alike(const std::string& factor, const std::string& ours, const Values& theirs) {
    return is_size(factor) ? distance(ours, theirs) <= std::log2(like_size)
                           : std::ranges::find(theirs, ours) != theirs.end();
}

Values values_of(const nlohmann::json& value) {
    return value.is_array() ? value.get<Values>() : Values{value.get<std::string>()};
}

// "P100 PCIe" and "Tesla P100-PCIE-16GB".
bool is_of_model(const Conditions& ours, const std::string& device) {
    const auto model = ours.find("model");
    const std::string name = device.substr(0, device.find(' '));
    return model != ours.end() && !name.empty() && model->second.find(name) != std::string::npos;
}

bool is_compared(const RowName& name, ComparedRow compared) {
    switch (compared) {
        case ComparedRow::whole:
            return name.suffix.empty();
        case ComparedRow::paper_clock:
            return name.is_of_paper_clock();
        case ComparedRow::none:
            return false;
    }
    return false;
}

void compare_with(const PublishedNumbers& published, Session& session, const PlannedCase& planned,
                  Row& row) {
    const int nodes = session.topology().nodes();
    auto conditions = planned.conditions;
    conditions["nodes"] = std::to_string(nodes);
    if (!session.gpus().empty()) {
        conditions["model"] = session.gpus().all().front().name;
    }
    const double rate = row.work.rate({median(row.times())});
    row.published = published.nearest(conditions, name(row.work.unit), rate);
    if (row.published) {
        row.published->ours = place_of_ours(nodes, row.work.workers);
    }
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
            entry.number.device = item.value("device", "");
            for (const auto& [factor, value] : item.at("match").items()) {
                entry.match[factor] = values_of(value);
            }
            if (entry.match.contains("nodes")) {
                entry.number.nodes = std::stoi(entry.match.at("nodes").at(0));
            }
            if (item.contains("workers")) {
                entry.match["workers"] = {std::to_string(item.at("workers").get<int>())};
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
    // Our model, most equal factors, the nearest size, the greatest value.
    using Merit = std::tuple<bool, std::ptrdiff_t, double, double>;
    std::optional<std::pair<Merit, const Entry*>> best;
    for (const Entry& entry : entries_) {
        bool fits = entry.number.unit == unit;
        std::ptrdiff_t known = 0;
        double apart = 0;
        for (const auto& [factor, theirs] : entry.match) {
            if (const auto ours = conditions.find(factor); ours != conditions.end()) {
                ++known;
                fits = fits && are_alike(factor, ours->second, theirs);
                apart += fits && is_size(factor) ? distance(ours->second, theirs) : 0;
            }
        }
        const Merit merit{is_of_model(conditions, entry.number.device), known, -apart,
                          entry.number.value};
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

std::string place_of_ours(int nodes, int workers) {
    const std::string where = nodes == 1 ? "within one node" : fmt::format("on {} nodes", nodes);
    return fmt::format("{}, {} worker{}", where, workers, workers == 1 ? "" : "s");
}

void compare_with_published(std::vector<Row>& rows, Session& session,
                            const PublishedNumbers& published) {
    for (Row& row : rows) {
        const auto planned = std::ranges::find_if(session.plan(), [&](const PlannedCase& other) {
            return row.name.with_suffix("").text() == other.name.with_suffix("").text();
        });
        if (row.error.empty() && planned != session.plan().end() &&
            is_compared(row.name, planned->compared)) {
            compare_with(published, session, *planned, row);
        }
    }
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

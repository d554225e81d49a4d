#include "bench/results/json_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

/// The place of a value.
enum class Place { member, element };

std::string plain_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_plain(const Json& json) {
    return std::ranges::none_of(json, [](const Json& part) { return part.is_structured(); });
}

// An object, in a list, of plain values and lists of these.
bool is_short(const Json& json) {
    return std::ranges::all_of(json, [](const Json& part) {
        return !part.is_structured() || (part.is_array() && is_plain(part));
    });
}

// Each part begins after `before`.
void append_parts(std::string& text, const Json& json, const std::string& before,
                  const std::function<void(const Json&)>& append) {
    bool first = true;
    for (const auto& [key, part] : json.items()) {
        text += first ? before : "," + before;
        first = false;
        if (json.is_object()) {
            text += plain_text(key) + ": ";
        }
        append(part);
    }
}

void append_text(std::string& text, const Json& json, std::size_t depth, Place place) {
    if (!json.is_structured() || json.empty()) {
        text += plain_text(json);
        return;
    }
    const bool one_line =
        json.is_array() ? is_plain(json) : place == Place::element && is_short(json);
    const Place inner = json.is_array() ? Place::element : Place::member;
    text += json.is_array() ? '[' : '{';
    if (one_line) {
        std::string parts;
        append_parts(parts, json, " ",
                     [&](const Json& part) { append_text(parts, part, depth, inner); });
        text += std::string_view(parts).substr(1);
    } else {
        append_parts(text, json, "\n" + std::string(2 * (depth + 1), ' '),
                     [&](const Json& part) { append_text(text, part, depth + 1, inner); });
        text += "\n" + std::string(2 * depth, ' ');
    }
    text += json.is_array() ? ']' : '}';
}

}  // namespace

void put(Json& row, const std::string& key, double value) {
    if (std::isfinite(value)) {
        row[key] = value;
    }
}

void put(Json& row, const std::string& key, std::optional<double> value) {
    if (value) {
        put(row, key, *value);
    }
}

Json numbers(const std::vector<double>& values) {
    Json all = Json::array();
    for (const double value : values) {
        all.push_back(std::isfinite(value) ? Json(value) : Json());
    }
    return all;
}

void put_times(Json& json, Seconds real, Seconds cpu) {
    put(json, "real_time", real.value * 1e3);
    put(json, "cpu_time", cpu.value * 1e3);
    json["time_unit"] = "ms";
}

Json value_of(const std::string& text) {
    try {
        const bool is_size = text.ends_with('B');
        return is_size ? parse_bytes(text).value : quartet::parse_count(text);
    } catch (const UsageError&) {
        return text;
    }
}

std::string text_of(const Json& json) {
    std::string text;
    append_text(text, json, 0, Place::member);
    return text;
}

}  // namespace quartet::bench

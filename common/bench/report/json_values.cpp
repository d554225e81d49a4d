#include "bench/report/json_values.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace quartet::bench {

using Json = nlohmann::ordered_json;

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

}  // namespace quartet::bench

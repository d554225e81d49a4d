#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::bench {

/// Leaves out numbers that are not finite: other readers of the format stumble over them.
void put(nlohmann::ordered_json& object, const std::string& key, double value);
void put(nlohmann::ordered_json& object, const std::string& key, std::optional<double> value);

/// A list; null stands for a number that is not finite.
nlohmann::ordered_json numbers(const std::vector<double>& values);

/// Google Benchmark's keys of a row's times, in ms.
void put_times(nlohmann::ordered_json& row, Seconds real, Seconds cpu);

/// The number that a factor's text stands for: "8192", "2^20", "2MiB" in bytes; for other text the
/// text itself.
nlohmann::ordered_json value_of(const std::string& text);

/// Like dump(2), but a list of plain values takes one line, and so does an object in a list if all
/// its values are plain. Bytes that are not UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

}  // namespace quartet::bench
